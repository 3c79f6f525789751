/* Below the lowest. */
/* @options: -q */

BEGIN { @ = llquantize(0, 10, 0, 3, 10); exit(0); }
