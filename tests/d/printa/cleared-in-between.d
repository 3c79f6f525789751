/*
 * clear() takes effect in its place. What is counted before the consumer comes to it would be cleared, too: the command
 * that ends says that it has been there.
 */
/* @options: -q -w */

tick-10ms /n < 2/ { n++; @ = count(); }
tick-10ms /n == 2/ { n++; printa("%@d\n", @); clear(@); system("true"); }
proc:::exit /progenyof($pid)/ { @ = count(); printa("%@d\n", @); exit(0); }
