/* Where there are delimiters only, there is no token. */
/* @options: -q */

BEGIN { printf("%d\n", strtok(",,,", ",") == NULL); exit(0); }
