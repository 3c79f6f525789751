/* Bars are rounded. */
/* @options: -q */

BEGIN { @ = quantize(1, 2); @ = quantize(2); exit(0); }
