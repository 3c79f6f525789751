/* A negative length leaves off so many at the end. */
/* @options: -q */

BEGIN { printf("[%s]\n", substr("abcdef", 1, -2)); exit(0); }
