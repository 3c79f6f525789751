/* A clause runs once for each of its descriptions that a probe matches. */
/* @options: -q */

BEGIN, BEGIN, dtrace:::BEG* { n++; printf("%d\n", n); }
tick-1ms, tick-1ms /n < 10/ { n += 10; printf("%d\n", n); }
BEGIN { printf("total %d\n", n); }
tick-20ms /n > 10/ { exit(0); }
