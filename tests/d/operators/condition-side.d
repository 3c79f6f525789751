/* Only the one that is taken is evaluated. */
/* @options: -q */

BEGIN { n = 0; x = 1 ? 7 : n++; printf("%d %d\n", x, n); exit(0); }
