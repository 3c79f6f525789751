/* How long a thread is in the queue of a CPU. */
/* @options: -q -c $TARGET */

sched:::enqueue
/args[1]->pr_pid == $target/
{
	queued[args[0]->pr_lwpid] = timestamp;
}

sched:::dequeue
/queued[args[0]->pr_lwpid]/
{
	@["ns"] = quantize(timestamp - queued[args[0]->pr_lwpid]);
	queued[args[0]->pr_lwpid] = 0;
}
