/*
 * @compat: in `ERROR`, `arg1` and `arg2`
 * @oracle: number of the probe; of the clause, from 0
 */
/* @options: -q -xcompat=oracle */

BEGIN { trace(1 / (pid - pid)); }
ERROR { printf("%d %d\n", arg1, arg2); exit(0); }
