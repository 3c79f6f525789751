/* Without a format, in columns. */
/* @options: -q */

BEGIN { @a["x"] = sum(1); @b["x"] = sum(2); }
BEGIN { printa(@a, @b); exit(0); }
