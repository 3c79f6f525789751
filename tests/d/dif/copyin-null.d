/* Nor bytes. */
/* @options: -q */
/* @status: 1 */

BEGIN { this->p = (int *)copyin(0, 4); trace(*this->p); }
ERROR { printf("fault %d\n", arg4); exit(1); }
