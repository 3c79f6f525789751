/* What is not there is not taken. */
/* @options: -q */

BEGIN { printf("[%s]\n", substr("abc", 1, 100)); exit(0); }
