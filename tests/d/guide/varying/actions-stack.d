/* Where in the kernel it is. */
/* @options: -q -c $TARGET */

rawtp:::sched_switch
/pid == $target/
{
	stack();
	exit(0);
}
