/* From a place on, at most so many. */
/* @options: -q */

BEGIN { printf("[%s] [%s] [%s] [%s]\n", substr("abcdef", 2), substr("abcdef", 2, 3), substr("abcdef", 0, 1), substr("abcdef", 0)); exit(0); }
