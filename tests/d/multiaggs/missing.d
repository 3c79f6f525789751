/* A key that one of them does not have counts 0 there. */
/* @options: -q */

BEGIN { @a["x"] = sum(1); @b["x"] = sum(2); @a["y"] = sum(3); }
BEGIN { printa("%s %@d %@d\n", @a, @b); exit(0); }
