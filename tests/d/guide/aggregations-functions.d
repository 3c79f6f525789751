/* What of many values: sum, avg, min, max, stddev. */
/* @options: -q */

BEGIN
{
	@s = sum(2); @s = sum(4); @s = sum(9);
	@a = avg(2); @a = avg(4); @a = avg(9);
	@l = min(2); @l = min(4); @l = min(9);
	@h = max(2); @h = max(4); @h = max(9);
	@d = stddev(2); @d = stddev(4); @d = stddev(9);
	printa("%@d %@d %@d %@d %@d\n", @s, @a, @l, @h, @d);
	exit(0);
}
