/* Keys may be left out of it. */
/* @options: -q */

BEGIN { @["k"] = sum(7); }
BEGIN { printa("%@d!\n", @); exit(0); }
