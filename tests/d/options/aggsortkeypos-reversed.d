/* By the second key first, from its end. */
/* @options: -q -xaggsortkey -xaggsortkeypos=1 -xaggsortrev */

BEGIN { @[2, "b"] = sum(1); @[1, "c"] = sum(5); @[2, "a"] = sum(9);
	printa("%d %s %@d\n", @); exit(0); }
