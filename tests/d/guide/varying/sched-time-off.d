/* How long a thread sleeps: from when it leaves the CPU until it is woken. */
/* @options: -q -c $TARGET */

sched:::off-cpu
/pid == $target/
{
	left[tid] = timestamp;
}

sched:::wakeup
/left[args[0]->pr_lwpid]/
{
	@["ns"] = quantize(timestamp - left[args[0]->pr_lwpid]);
	left[args[0]->pr_lwpid] = 0;
}
