/* The largest number, divided without a sign. */
/* @options: -q */

uint64_t a;
BEGIN { a = -1; printf("%u %u\n", a / 10, a % 10); exit(0); }
