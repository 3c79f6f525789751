/* Integers in three bases, characters, escapes. */
/* @options: -q */

BEGIN
{
	printf("%d %d %d\n", 12, 0x12, 012);
	printf("%d %d %d %d\n", 'A', '\n', '\0', '\x41');
	printf("%s|%S\n", "a\x62z", "tab\t");
	exit(0);
}
