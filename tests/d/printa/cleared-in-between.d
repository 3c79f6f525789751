/* clear() takes effect in its place. */
/* @options: -q */

tick-10ms { @ = count(); n++; }
tick-10ms /n == 2/ { printa("%@d\n", @); clear(@); }
tick-10ms /n == 3/ { printa("%@d\n", @); exit(0); }
