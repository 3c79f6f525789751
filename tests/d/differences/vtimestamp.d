/*
 * @language: `vtimestamp`
 * @dtrace: illumos counts the time on the CPU without that of the clauses themselves; Oracle's has
 *   none.
 * @erlbpf: It is the kernel's `se.sum_exec_runtime`, with the time of the clauses. The kernel updates it at
 *   context switches and at clock ticks, so up to one tick (4 ms at 250 Hz) may be missing.
 */
/* @options: -q -c true */

syscall::exit_group:entry
/pid == $target/
{
	a = curthread->se.sum_exec_runtime;
	v = vtimestamp;
	b = curthread->se.sum_exec_runtime;
	printf("%d\n", v > 0 && a <= v && v <= b);
}
