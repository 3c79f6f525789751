/* After it, it counts from 0. The command that ends says that the consumer has come so far. */
/* @options: -q -w */

BEGIN { @["k"] = sum(5); }
BEGIN { clear(@); system("true"); }
proc:::exit /progenyof($pid)/ { @["k"] = sum(2); exit(0); }
