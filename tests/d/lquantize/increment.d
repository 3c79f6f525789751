/* What is counted is not always one. */
/* @options: -q */

BEGIN { @ = lquantize(5, 0, 10, 1, 10); exit(0); }
