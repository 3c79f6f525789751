/* As 64 bits do. */
/* @options: -q */

BEGIN { @ = sum(0x7fffffffffffffff); @ = sum(1); printa("%@d %@u\n", @); exit(0); }
