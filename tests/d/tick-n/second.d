/* A second. */
/* @options: -q */

tick-1sec { printf("tick\n"); exit(0); }
