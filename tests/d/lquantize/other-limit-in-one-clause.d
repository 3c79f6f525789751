/* All of an aggregation have one limit. */
/* @options: -q */

BEGIN { @ = lquantize(1, 0, 10, 1); @ = lquantize(1, 0, 20, 1); exit(0); }
