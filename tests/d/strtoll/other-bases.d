/* Prefixes of their bases, and what ends a number. */
/* @options: -q */

BEGIN { printf("%d %d %d\n", strtoll("0x1f", 16), strtoll("077", 8), strtoll("-12abc")); exit(0); }
