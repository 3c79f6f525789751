/* A negative length leaves so many out at the end. */
/* @options: -q */

BEGIN { printf("[%s] [%s]\n", substr("abcdef", 1, -2), substr("abcdef", -4, -1)); exit(0); }
