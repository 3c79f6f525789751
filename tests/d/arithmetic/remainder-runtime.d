/* The remainder has the sign of what is divided. */
/* @options: -q */

BEGIN { a = -7; b = -2; c = 7; d = 2; printf("%d %d %d %d\n", a % b, a % d, c % b, c % d); exit(0); }
