/* Values are divided when they are printed, until they are denormalized. */
/* @options: -q */

BEGIN
{
	@total["x"] = sum(3000);
	normalize(@total, 1000);
	printa("%s %@d\n", @total);
	denormalize(@total);
	printa("%s %@d\n", @total);
	exit(0);
}
