/*
 * @probes: probes that DTrace makes of functions of the kernel
 * @dtrace: `sched` has `tick`, `preempt` and `change-pri`, and `io` has `wait-start` and `wait-done`.
 * @erlbpf: They do not exist, and a message says why: no tracepoint of the kernel tells these events.
 */
/* @options: -q */

io:::wait-start { exit(0); }
