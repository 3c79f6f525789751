/* An increment of another size for each value. */
/* @options: -q */

BEGIN { @ = quantize(2, 3); @ = quantize(4, 1); exit(0); }
