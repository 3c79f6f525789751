/* A rate may have as many digits as a number; one that is beyond all time is none. */
/* @options: -q -Z */

tick-1000000000ns { n++; }
profile-2000000000ns { m++; }
tick-1000000us /n/ { printf("ticks\n"); exit(0); }
tick-999999999999999999d { exit(1); }
tick-99999999999999999999ns { exit(1); }
