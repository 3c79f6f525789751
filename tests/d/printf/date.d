/* %Y is a date. */
/* @options: -q */

BEGIN { printf("%Y\n", 0LL); exit(0); }
