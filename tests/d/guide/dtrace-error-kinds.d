/* Kinds of faults. */
/* @options: -q */

BEGIN { zero = 0; trace(7 / zero); }
BEGIN { trace(*(int *)0x30); }
BEGIN { exit(0); }
ERROR { printf("%d\n", arg4); }
ERROR /arg4 == DTRACEFLT_DIVZERO/ { printf("a division by zero\n"); }
ERROR /arg4 == DTRACEFLT_BADADDR/ { printf("a bad address\n"); }
