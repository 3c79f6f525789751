/* Two aggregations side by side. */
/* @options: -q */

BEGIN { @a["x"] = sum(1); @b["x"] = sum(2); @a["y"] = sum(3); @b["y"] = sum(4); }
BEGIN { printa("%s %@d %@d\n", @a, @b); exit(0); }
