/* An int that overflows wraps, one of 64 bits too. */
/* @options: -q */

int i; long l;
BEGIN { i = 2147483647; i = i + 1; l = 9223372036854775807; l = l + 1; printf("%d %d\n", i, l); exit(0); }
