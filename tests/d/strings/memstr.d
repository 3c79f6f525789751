/* memstr() makes one string of several. The last byte counts as the end. */
/* @options: -q */
/* @prints:
ls -l /tmp|
ls|
ls-|
11
1
ls -l /tmp     |
*/

BEGIN
{
	printf("%s", memstr(0, ' ', 4)); /* a fault: it prints nothing */
}

BEGIN
{
	p = (char *)alloca(16);
	bcopy("ls", p, 2);
	bcopy("-l", p + 3, 2);
	bcopy("/tmp", p + 6, 4);
	printf("%s|\n", memstr(p, ' ', 11));
	printf("%s|\n", memstr(p, 0, 11));
	printf("%s|\n", memstr(p, '-', 4));
	printf("%d%d\n", memstr(p, ' ', 1) == "", memstr(p, ' ', 0) == "");
	printf("%d\n", memstr(p, ' ', 12) == "ls -l /tmp ");
	printf("%s|\n", memstr(p, ' ', 16));
	exit(0);
}
