/* Units of the interval. */
/* @options: -q */

tick-1000000ns, tick-1000us, tick-1ms, tick-1000hz
{
	seen[probename] = 1;
}

tick-10ms
/seen["tick-1000000ns"] && seen["tick-1000us"] && seen["tick-1ms"] && seen["tick-1000hz"]/
{
	printf("%d %d %d %d\n", seen["tick-1000000ns"], seen["tick-1000us"], seen["tick-1ms"], seen["tick-1000hz"]);
	exit(0);
}
