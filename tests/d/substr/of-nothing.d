/* No characters, and what is behind the end. */
/* @options: -q */

BEGIN { printf("[%s][%s]\n", substr("abc", 0, 0), substr("abc", 5)); exit(0); }
