/* NULL points to nothing. */
/* @options: -q */
/* @status: 1 */

BEGIN { trace(*(int *)NULL); }
ERROR { printf("fault %d at %x\n", arg4, arg5); exit(1); }
