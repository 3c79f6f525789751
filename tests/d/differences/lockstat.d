/*
 * @probes: the provider `lockstat`
 * @dtrace: It has probes of the locks of the kernel.
 * @erlbpf: It does not exist. Locks of the VM are in `erlbpf locks`, and tracepoints in `rawtp:::contention_begin`
 *   and `contention_end`.
 */
/* @options: -q */

lockstat:::adaptive-block { exit(0); }
