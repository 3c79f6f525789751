/* A number as a string. */
/* @options: -q */

BEGIN { printf("%s %s %s %s\n", lltostr(0), lltostr(-5), lltostr(9223372036854775807), strjoin("n", lltostr(12))); exit(0); }
