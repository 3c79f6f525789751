/* What does not matter is not evaluated. */
/* @options: -q */

BEGIN { n = 0; a = 0 && n++; b = 1 || n++; printf("%d %d %d\n", a, b, n); exit(0); }
