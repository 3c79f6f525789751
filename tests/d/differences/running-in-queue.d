/*
 * @probes: `sched:::dequeue` of a thread that runs
 * @dtrace: illumos takes a thread out of the queue when it gets the CPU, so `enqueue` to `dequeue` is how long it waits.
 * @erlbpf: A thread that runs is in the queue of its CPU, as in Linux and in Oracle's DTrace: it leaves the queue when it
 *   waits or ends. How long it waits is from `enqueue` to `on-cpu`.
 */
/* @options: -q -c "sleep 0.05" */

sched:::dequeue
/args[1]->pr_pid == $target && args[0]->pr_lwpid == tid/
{
	n++;
}

END
{
	printf("%d\n", n > 0);
}
