/* Sorted by the first that is given, printed as the format has them. */
/* @options: -q */

BEGIN { @a["x"] = sum(1); @a["y"] = sum(2); @b["x"] = sum(9); @b["y"] = sum(5);
	printa("%@d %s %@d\n", @b, @a); exit(0); }
