/* By two values. */
/* @options: -q */

BEGIN { @["x", 1] = sum(1); @["x", 2] = sum(2); exit(0); }
