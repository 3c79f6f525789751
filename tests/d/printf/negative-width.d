/* A negative width is to the left. */
/* @options: -q */

BEGIN { printf("[%*d]\n", -5, 42); exit(0); }
