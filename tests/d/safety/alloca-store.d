/* Nothing is stored behind what was asked for. */
/* @options: -q */

BEGIN { p = (int *)alloca(8); p[2] = 1; exit(0); }
ERROR { printf("fault %d\n", arg4); exit(0); }
