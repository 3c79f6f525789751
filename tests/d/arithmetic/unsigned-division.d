/* Unsigned division has no sign. */
/* @options: -q */

unsigned long a;
BEGIN { a = 18446744073709551615ULL; printf("%u %u\n", a / 2, a % 10); exit(0); }
