/* Functions of three kinds. */
/* @options: -q */

BEGIN { @a["x"] = count(); @b["x"] = avg(10); @b["x"] = avg(20); @c["x"] = max(7); @c["x"] = max(3);
	printa("%s %@d %@d %@d\n", @a, @b, @c); exit(0); }
