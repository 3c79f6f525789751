/* Below, within and above. */
/* @options: -q */

BEGIN { @ = lquantize(-1, 0, 2, 1); @ = lquantize(0, 0, 2, 1); @ = lquantize(1, 0, 2, 1); @ = lquantize(2, 0, 2, 1); exit(0); }
