/* Below the base. */
/* @options: -q */

BEGIN { @ = lquantize(-5, 0, 10, 1); exit(0); }
