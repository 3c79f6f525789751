/* By the sum of value times number; negative ones are first. */
/* @options: -q */

BEGIN { @["a"] = quantize(3); @["b"] = quantize(1);  @["c"] = quantize(-100); printa("%s\n", @); exit(0); }
