/* ^^ needs both. */
/* @options: -q */

BEGIN { n = 0; a = 1 ^^ n++; printf("%d %d\n", a, n); exit(0); }
