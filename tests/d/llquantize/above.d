/* Above the highest. */
/* @options: -q */

BEGIN { @ = llquantize(10000, 10, 0, 3, 10); exit(0); }
