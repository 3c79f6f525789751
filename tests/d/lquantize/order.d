/* By the sum of value times number. */
/* @options: -q */

BEGIN { @["a"] = lquantize(3, 0, 10, 1); @["b"] = lquantize(1, 0, 10, 1); @["b"] = lquantize(1, 0, 10, 1); printa("%s\n", @); exit(0); }
