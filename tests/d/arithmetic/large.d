/* Products have 64 bits. */
/* @options: -q */

BEGIN { a = 5000000000; printf("%d\n", a * 3); exit(0); }
