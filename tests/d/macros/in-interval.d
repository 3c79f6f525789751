/* An interval by an argument. */
/* @options: -q */
/* @args: 10ms */

tick-$1 { printf("ok\n"); exit(0); }
