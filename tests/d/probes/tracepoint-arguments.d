/* Arguments that a tracepoint does not have are 0. */
/* @options: -q */

int n;

rawtp:::sched_switch, rawtp:::balance_dirty_pages
{
	n += arg9 != 0 || arg4 != 0 && probename == "sched_switch";
}

tick-50ms
{
	printf("%d\n", n);
	exit(0);
}
