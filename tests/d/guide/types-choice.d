/* The conditional operator, and precedence. */
/* @options: -q */

BEGIN
{
	i = 0;
	x = i == 0 ? "zero" : "other";
	printf("%s %d %d %d\n", x, 2 + 3 * 4, (2 + 3) * 4, 1 << 2 + 1);
	exit(0);
}
