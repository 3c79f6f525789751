/* bcopy() does not read beyond what was allocated. */
/* @options: -q */

BEGIN
{
	to = (char *)alloca(64);
	from = (char *)alloca(8);
	bcopy(from, to, 8);
	printf("fine\n");
}
BEGIN
{
	to = (char *)alloca(64);
	from = (char *)alloca(8);
	bcopy(from, to, 32);
}
BEGIN { exit(0); }
ERROR { printf("%d\n", arg4); }
