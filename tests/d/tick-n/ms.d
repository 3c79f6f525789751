/* A timer in milliseconds. */
/* @options: -q */

tick-10ms { printf("tick\n"); exit(0); }
