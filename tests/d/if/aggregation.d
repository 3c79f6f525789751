/* An aggregation under a condition. */
/* @options: -q */

BEGIN { x = 1; if (x) { @["yes"] = count(); } else { @["no"] = count(); } exit(0); }
