/* At the limit and above. */
/* @options: -q */

BEGIN { @ = lquantize(10, 0, 10, 1); exit(0); }
