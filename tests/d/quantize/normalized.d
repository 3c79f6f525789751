/* Counts of a distribution are normalized. */
/* @options: -q */

BEGIN { @ = quantize(4, 100); normalize(@, 10); exit(0); }
