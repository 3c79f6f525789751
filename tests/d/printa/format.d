/* A format for each key. */
/* @options: -q */

BEGIN { @["k"] = sum(7); @["l"] = sum(8); }
BEGIN { printa("%s is %@d\n", @); exit(0); }
