/* printa() with and without a format. */
/* @options: -q */

BEGIN
{
	@n["key", 7] = count();
	printa("%-6s|%4d|%@d\n", @n);
	printa(@n);
	exit(0);
}
