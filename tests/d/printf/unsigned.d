/* %u. */
/* @options: -q */

BEGIN { x = -1; printf("%u %u\n", 42, x); exit(0); }
