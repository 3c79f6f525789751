/* In another base, with C's prefixes. */
/* @options: -q */

BEGIN { printf("%s %s %s\n", lltostr(255, 16), lltostr(8, 8), lltostr(5, 2)); exit(0); }
