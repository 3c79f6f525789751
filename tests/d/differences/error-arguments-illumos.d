/*
 * @compat: in `ERROR`, `arg1` and `arg2`
 * @illumos: number of the clause, from 1 (`epid`); of the action, from 1
 */
/* @options: -q -xcompat=illumos */

BEGIN { trace(1 / (pid - pid)); }
ERROR { printf("%d %d\n", arg1, arg2); exit(0); }
