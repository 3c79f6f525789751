/* 0, and the largest number. */
/* @options: -q */

BEGIN { printf("%s %s\n", lltostr(0), lltostr(9223372036854775807)); exit(0); }
