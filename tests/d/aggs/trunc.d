/* trunc() takes all away. */
/* @options: -q */

BEGIN { @["k"] = count(); }
BEGIN { trunc(@); exit(0); }
