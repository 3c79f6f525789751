/* Beyond the end is nothing. */
/* @options: -q */

BEGIN { printf("[%s] [%s] [%s]\n", substr("abc", 3), substr("abc", 10), substr("abc", 1, 0)); exit(0); }
