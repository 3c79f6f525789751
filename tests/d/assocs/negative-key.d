/* A key has a sign. */
/* @options: -q */

BEGIN { a[-1] = 1; a[1] = 2; x = -1; printf("%d %d\n", a[x], a[-x]); exit(0); }
