/*
 * @language: members of `psinfo_t`, `lwpsinfo_t` and `cpuinfo_t`
 * @dtrace: They are those of proc(4) on Solaris; Oracle's has no `pr_nice`, `pr_start`, `pr_time` and `pr_lwp`.
 * @erlbpf: Those that are not listed [above](#variables) are errors; `pr_nice` is as nice(1) has it.
 */
/* @options: -q */

BEGIN { trace(curpsinfo->pr_size); exit(0); }
