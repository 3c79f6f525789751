/* Of a timer. */
/* @options: -q */

tick-20ms { printf("%s %s\n", probeprov, probename); exit(0); }
