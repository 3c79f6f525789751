/* Assignment groups to the right. */
/* @options: -q */

BEGIN { a = b = c = 4; printf("%d %d %d\n", a, b, c); exit(0); }
