/* Other conversions. */
/* @options: -q */

BEGIN { @["k"] = sum(255); }
BEGIN { printa("%s %@x %@u\n", @); exit(0); }
