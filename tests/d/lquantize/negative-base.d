/* The base may be negative. */
/* @options: -q */

BEGIN { @ = lquantize(-50, -100, 100, 50); exit(0); }
