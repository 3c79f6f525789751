/* BEGIN is before all others, END behind them. */
/* @options: -q */

END { printf("END %d\n", ++n); }
tick-10ms { printf("tick %d\n", ++n); exit(0); }
BEGIN { printf("BEGIN %d\n", ++n); }
