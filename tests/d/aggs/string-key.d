/* By a string, least first. */
/* @options: -q */

BEGIN { @["b"] = sum(20); @["a"] = sum(30); @["c"] = sum(10); exit(0); }
