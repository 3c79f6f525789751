/* speculation() gives 0 if none is left. */
/* @options: -q */

BEGIN
{
	a = speculation();
	b = speculation();
	printf("%d %d\n", a != 0, b);
	exit(0);
}
