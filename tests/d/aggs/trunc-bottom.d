/* Or all but the least. */
/* @options: -q */

BEGIN { @["a"] = sum(1); @["b"] = sum(2); @["c"] = sum(3); @["d"] = sum(4); }
BEGIN { trunc(@, -3); exit(0); }
