/* A thread has a number. */
/* @options: -q */

BEGIN { printf("%d\n", tid > 0); exit(0); }
