/*
 * @probes: probes of `proc` and `sched` that only Solaris has
 * @dtrace: `proc:::fault`, `sched:::change-pri`, `schedctl-yield` and others tell of its dispatcher.
 * @erlbpf: They do not exist; those that do are listed [above](#processes-the-scheduler-and-disks).
 */
/* @options: -q */

proc:::fault,
sched:::schedctl-yield
{
	exit(0);
}
