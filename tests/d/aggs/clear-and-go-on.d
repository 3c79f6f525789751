/* After it, it counts from 0. */
/* @options: -q */

BEGIN { @["k"] = sum(5); }
BEGIN { clear(@); }
tick-500ms { @["k"] = sum(2); exit(0); }
