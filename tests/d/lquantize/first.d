/* The first bucket has the one below the base beside it. */
/* @options: -q */

BEGIN { @ = lquantize(0, 0, 10, 1); exit(0); }
