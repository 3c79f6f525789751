/* Operations on bits. */
/* @options: -q */

BEGIN { a = 0xf0; b = 0x3c; printf("%x %x %x %x\n", a & b, a | b, a ^ b, ~a & 0xff); exit(0); }
