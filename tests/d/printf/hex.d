/* %x and %X. */
/* @options: -q */

BEGIN { printf("%x %X %#x %#X\n", 48879, 48879, 48879, 48879); exit(0); }
