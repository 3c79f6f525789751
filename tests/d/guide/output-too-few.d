/* A format and its arguments are compared when the program is compiled. */
/* @options: -q */

BEGIN
{
	printf("%d %d\n", 1);
}
