/* printa() of several aggregations of the same keys. */
/* @options: -q */

BEGIN
{
	@calls["read"] = count();
	@calls["read"] = count();
	@bytes["read"] = sum(100);
	printa("%s: %@d calls, %@d bytes\n", @calls, @bytes);
	exit(0);
}
