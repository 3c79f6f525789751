/* A string that is set to 0 is NULL again, and so is what is assigned from it. */
/* @options: -q */

BEGIN
{
	x = "a";
	x = 0;
	y = x;
	printf("%d %d %d\n", x == NULL, y == NULL, x == "");
	exit(0);
}
