/* Or all but the greatest. */
/* @options: -q */

BEGIN { @["a"] = sum(1); @["b"] = sum(2); @["c"] = sum(3); @["d"] = sum(4); }
BEGIN { trunc(@, 2); exit(0); }
