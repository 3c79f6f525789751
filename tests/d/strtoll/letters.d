/* Base 36; blanks in front. */
/* @options: -q */

BEGIN { printf("%d %d\n", strtoll("zz", 36), strtoll("  42")); exit(0); }
