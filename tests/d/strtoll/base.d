/* In another base. */
/* @options: -q */

BEGIN { printf("%d %d %d\n", strtoll("ff", 16), strtoll("0x10", 16), strtoll("101", 2)); exit(0); }
