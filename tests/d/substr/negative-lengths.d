/* A negative length is up to so many characters from the end. */
/* @options: -q */

BEGIN { printf("[%s][%s][%s][%s]\n", substr("abcdefg", -5, -2), substr("abcdefg", 0, -7), substr("abcdefg", 0, -10), substr("", 0, 1)); exit(0); }
