/* The one remainder that overflows in C. */
/* @options: -q */

long a; long b;
BEGIN { a = -9223372036854775807 - 1; b = -1; printf("%d\n", a % b); exit(0); }
