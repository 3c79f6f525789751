/* Without a format, as at the end. */
/* @options: -q */

BEGIN { @["k"] = sum(7); }
BEGIN { printa(@); exit(0); }
