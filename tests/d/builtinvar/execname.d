/* This program's name. */
/* @options: -q */

BEGIN { printf("%d\n", strlen(execname) > 0); exit(0); }
