/* Without a unit, times per second. */
/* @options: -q */

tick-50 { printf("tick\n"); exit(0); }
