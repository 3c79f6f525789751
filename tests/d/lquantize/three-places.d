/* Below the limit, in the middle, at the limit. */
/* @options: -q */

BEGIN { @ = lquantize(3, 0, 10, 5); @ = lquantize(7, 0, 10, 5); @ = lquantize(12, 0, 10, 5); exit(0); }
