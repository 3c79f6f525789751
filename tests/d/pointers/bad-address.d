/* What is not there cannot be read: a fault with the address. */
/* @options: -q */
/* @status: 1 */

BEGIN { this->p = (int *)0x10; trace(*this->p); }
ERROR { printf("fault %d at %x\n", arg4, arg5); exit(1); }
