/* How much in a second: divided by the seconds so far, then cleared. */
/* @options: -q */

BEGIN { @rate["x"] = sum(600); }
tick-200ms { n++; }
tick-200ms /n == 1/ { normalize(@rate, 3); printa("%@d\n", @rate); clear(@rate); }
tick-200ms /n == 2/ { @rate["x"] = sum(30); }
tick-200ms /n == 3/ { normalize(@rate, 3); printa("%@d\n", @rate); exit(0); }
