/* tick-N: again and again, on one CPU. */
/* @options: -q */

tick-5ms { ticks++; }
tick-5ms /ticks == 20/ { printf("%d\n", ticks); exit(0); }
