/* A negative place counts from the end. */
/* @options: -q */

BEGIN { printf("[%s] [%s]\n", substr("abcdef", -2), substr("abcdef", -4, 2)); exit(0); }
