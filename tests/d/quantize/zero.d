/* 0 has a bucket of its own. */
/* @options: -q */

BEGIN { @ = quantize(0); exit(0); }
