/* A distribution. */
/* @options: -q */

BEGIN { @["k"] = quantize(5); }
BEGIN { printa("%s:%@d", @); exit(0); }
