/* What is counted is not always one. */
/* @options: -q */

BEGIN { @ = quantize(1, 3); @ = quantize(2); exit(0); }
