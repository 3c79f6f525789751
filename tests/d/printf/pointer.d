/* %p is hexadecimal. */
/* @options: -q */

BEGIN { this->p = (int *)0x1234; printf("%p %p\n", this->p, 255); exit(0); }
