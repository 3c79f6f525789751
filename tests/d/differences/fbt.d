/*
 * @probes: the provider `fbt`
 * @dtrace: Each function of the kernel has probes.
 * @erlbpf: It does not exist: erlbpf traces processes, and what the kernel does for them by system calls and
 *   tracepoints. `rawtp` has all tracepoints.
 */
/* @options: -q */

fbt::vfs_read:entry { exit(0); }
