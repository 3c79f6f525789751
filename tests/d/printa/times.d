/* A time by the conversions for times. */
/* @options: -q */

BEGIN
{
	@latest = max(1700000000123456789);
	printa("%@Y|%-24@Y|\n", @latest);
	printa("%@T|\n", @latest);
	printa("%@d %@T\n", @latest, @latest);
	exit(0);
}
