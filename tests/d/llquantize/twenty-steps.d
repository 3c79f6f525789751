/* More steps than the factor: only where there is room for them. */
/* @options: -q */

BEGIN { @ = llquantize(12, 10, 0, 3, 20); exit(0); }
