/* The number of the probe, and that of the clause, from 0. */
/* @options: -q */

ERROR { printf("%d %d\n", arg1, arg2); exit(0); }
BEGIN { }
BEGIN { trace(1 / (pid - pid)); }
