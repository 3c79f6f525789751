/* By the average, not by sum or number. */
/* @options: -q */

BEGIN { @["a"] = avg(10); @["a"] = avg(20); @["b"] = avg(14); @["c"] = avg(16); printa("%s %@d\n", @); exit(0); }
