/* A string as a number. */
/* @options: -q */

BEGIN { printf("%d %d %d %d\n", strtoll("123"), strtoll("-45"), strtoll("  7x"), strtoll("x")); exit(0); }
