/* There is no string at NULL. */
/* @options: -q */
/* @status: 1 */

BEGIN { trace(copyinstr(0)); }
ERROR { printf("fault %d\n", arg4); exit(1); }
