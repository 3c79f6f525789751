/* clear() takes effect in its place. What is counted before the consumer comes to it would be cleared, too: it has a second. */
/* @options: -q */

tick-10ms { n++; }
tick-10ms /n <= 2/ { @ = count(); }
tick-10ms /n == 2/ { printa("%@d\n", @); clear(@); }
tick-10ms /n == 102/ { @ = count(); printa("%@d\n", @); exit(0); }
