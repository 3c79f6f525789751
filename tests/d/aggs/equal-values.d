/* Those of equal values are in the order of their keys. */
/* @options: -q */

BEGIN { @["b"] = sum(1); @["a"] = sum(1); @["c"] = sum(0); printa("%s\n", @); exit(0); }
