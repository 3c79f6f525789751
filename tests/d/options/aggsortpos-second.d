/* By the value of the second one. */
/* @options: -q -xaggsortpos=1 */

BEGIN { @a["x"] = sum(1); @a["y"] = sum(2); @b["x"] = sum(9); @b["y"] = sum(5);
	printa("%s %@d %@d\n", @a, @b); exit(0); }
