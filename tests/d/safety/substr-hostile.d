/* Any number can be given to a function. */
/* @options: -q */

BEGIN { printf("[%s][%s][%s]\n", substr("abc", 9223372036854775807), substr("abc", 1, 9223372036854775807), substr("abc", -100, 100)); exit(0); }
