/* Sizes of the types, and casts. */
/* @options: -q */

BEGIN
{
	printf("%d %d %d %d\n", sizeof (char), sizeof (short), sizeof (int), sizeof (long long));
	printf("%d %d\n", (char)0x1ff, (uint8_t)0x1ff);
	printf("%d\n", (int64_t)-1 < 0);
	exit(0);
}
