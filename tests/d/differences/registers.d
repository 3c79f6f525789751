/*
 * @language: `uregs[]` of segments and traps
 * @dtrace: They are read.
 * @erlbpf: `R_DS` to `R_GS` and `R_TRAPNO` are faults, because the kernel does not save them at a probe.
 */
/* @options: -q */

BEGIN { trace(uregs[R_DS]); }
BEGIN { trace(uregs[R_TRAPNO]); }
BEGIN { exit(0); }
ERROR { printf("fault %d\n", arg4); }
