/*
 * @compat: in `ERROR`, `arg1` to `arg5`
 * @oracle: `arg1`: number of the probe. `arg2`: of the clause, from 0. `arg3`: 0. `arg4`: the fault, `arg5`:
 *   its value
 */
/* @options: -q -xcompat=oracle */

BEGIN { trace(1 / (pid - pid)); }
ERROR { printf("%d %d %d %d %d\n", arg1, arg2, arg3, arg4, arg5); exit(0); }
