/* An empty text is found at the beginning. */
/* @options: -q */

BEGIN { printf("[%s]\n", strstr("abc", "")); exit(0); }
