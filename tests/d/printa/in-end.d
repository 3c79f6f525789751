/* In END. */
/* @options: -q */

BEGIN { @["k"] = count(); exit(0); }
END { printa("%s %@d\n", @); }
