/*
 * It fires in what runs on the CPU: one of its arguments, the kernel's place and that of the process, is not 0. Those that
 * are made up for are in the tracing process.
 */
/* @options: -q */

int unplaced, both;

tick-5ms { n++; }
tick-5ms /(arg0 != 0) != (arg1 != 0)/ { placed++; }
tick-5ms /arg0 != 0 && arg1 != 0/ { both++; }
tick-5ms /pid != $pid/ { others++; unplaced += (arg0 != 0) == (arg1 != 0); }
tick-5ms
/placed >= 20 && others >= 20/
{
	printf("%d %d %d\n", n >= placed, both, unplaced);
	exit(0);
}
