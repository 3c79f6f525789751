/* clear() makes values 0 and keeps keys. */
/* @options: -q */

BEGIN { @["k"] = count(); }
BEGIN { clear(@); exit(0); }
