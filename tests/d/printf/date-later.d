/* Of nanoseconds. */
/* @options: -q */

BEGIN { printf("%Y\n", 1234567890000000000); exit(0); }
