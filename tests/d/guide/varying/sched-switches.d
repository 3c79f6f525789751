/* Who leaves the CPU, and how often. */
/* @options: -q -c $TARGET */

sched:::off-cpu
/pid == $target/
{
	@[execname] = count();
}
