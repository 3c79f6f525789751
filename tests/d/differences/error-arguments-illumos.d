/*
 * @compat: in `ERROR`, `arg1` to `arg5`
 * @illumos: `arg1`: number of the clause, from 1 (`epid`). `arg2`: of the action: each statement, argument
 *   and key is one; 0 is the predicate. `arg3`: -1, as where in the action is not known. `arg4` and `arg5` as
 *   in Oracle's, but wrong sizes are 1, wrong indexes 3
 */
/* @options: -q -xcompat=illumos */

BEGIN { trace(1 / (pid - pid)); }
ERROR { printf("%d %d %d %d %d\n", arg1, arg2, arg3, arg4, arg5); exit(0); }
