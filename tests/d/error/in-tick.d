/* In a timer. */
/* @options: -q */

tick-20ms { n++; }
tick-20ms { x = 1 / (n - n); }
ERROR { printf("error %d\n", arg4); exit(0); }
