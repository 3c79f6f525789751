/* Division truncates towards zero, as in C. */
/* @options: -q */

BEGIN { a = -7; b = 2; printf("%d %d %d %d\n", a / b, a % b, 7 / -2, 7 % -2); exit(0); }
