/* The default output names the timer. */

tick-10ms { exit(0); }
