/*
 * @probes: probes of `proc`, `sched` and `io` that are missing
 * @dtrace: `proc:::fault`, `sched:::change-pri`, `schedctl-yield`, `cpucaps-sleep` tell of Solaris; Oracle's has
 *   `sched:::tick`, `sched:::preempt`, `io:::wait-start` and `wait-done` by functions of the kernel.
 * @erlbpf: They do not exist, because no tracepoint of Linux tells of them: see
 *   [above](#processes-the-scheduler-and-disks) for those that do. `tick-N` is a clock, and `off-cpu` fires when a
 *   thread is preempted.
 */
/* @options: -q */

sched:::tick,
sched:::preempt,
sched:::schedctl-yield,
proc:::fault,
io:::wait-start
{
	exit(0);
}
