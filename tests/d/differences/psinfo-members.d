/*
 * @language: members of `psinfo_t`, `lwpsinfo_t` and `cpuinfo_t`
 * @dtrace: They are those of proc(4) on Solaris.
 * @erlbpf: Those that are not listed [above](#variables) are errors.
 */
/* @options: -q */

BEGIN { trace(curpsinfo->pr_size); exit(0); }
