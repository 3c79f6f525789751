/* Buckets between are printed. */
/* @options: -q */

BEGIN { @ = quantize(1); @ = quantize(16); exit(0); }
