/* The greatest first. */
/* @options: -q -xaggsortrev */

BEGIN { @["b"] = sum(1); @["a"] = sum(2); @["c"] = sum(3); exit(0); }
