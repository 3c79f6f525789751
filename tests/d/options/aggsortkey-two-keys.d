/* By the first key, then by the second. */
/* @options: -q -xaggsortkey */

BEGIN { @[2, "b"] = sum(1); @[1, "c"] = sum(5); @[2, "a"] = sum(9); @[10, "a"] = sum(0);
	printa("%d %s %@d\n", @); exit(0); }
