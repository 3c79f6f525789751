/* Over several firings. */
/* @options: -q */

int n;
tick-5ms { @["n"] = sum(n); n++; }
tick-5ms /n == 10/ { exit(0); }
