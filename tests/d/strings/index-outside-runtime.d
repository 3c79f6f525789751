/* There are as many characters as a string may have, and no more. */
/* @options: -q -xstrsize=32 */

BEGIN
{
	i = 31;
	printf("%d\n", probename[i]);
	i = 32;
	trace(probename[i]);
}

ERROR
{
	printf("%d %d\n", arg4, arg5);
	exit(0);
}
