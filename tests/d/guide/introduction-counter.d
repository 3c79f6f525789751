/* Seconds are counted, here shorter ones, and at the end their number is printed. */

int ticks;

profile:::tick-20ms
{
	trace(++ticks);
}

profile:::tick-20ms
/ticks == 3/
{
	exit(0);
}

END
{
	trace(ticks);
}
