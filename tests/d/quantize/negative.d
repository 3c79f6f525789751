/* Negative numbers too. */
/* @options: -q */

BEGIN { @ = quantize(-1); @ = quantize(-5); exit(0); }
