/* An empty string is printed as nothing. */
/* @options: -q */

BEGIN { s = ""; printf("[%s]\n", s); exit(0); }
