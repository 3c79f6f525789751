/* By key. */
/* @options: -q */

BEGIN { @["k"] = quantize(100); exit(0); }
