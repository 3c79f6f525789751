/* Assignments of bits, in 64 bits. */
/* @options: -q */

long a;
BEGIN { a = 3; a <<= 40; a |= 1; a ^= 3; a >>= 1; printf("%d\n", a); exit(0); }
