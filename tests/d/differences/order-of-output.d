/*
 * @adds: the order of output
 * @erlbpf: Output is ordered by time across CPUs, and the last firing before `exit()` is always printed; DTrace
 *   prints the records of one CPU after those of another.
 */
/* @options: -q -c "sh -c 'taskset -c 0 true; taskset -c 1 true; taskset -c 0 true'" */

syscall::exit_group:entry
/ppid == $target/
{
	printf("%d\n", cpu);
}
