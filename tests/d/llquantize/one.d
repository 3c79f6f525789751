/* Linear steps in each order of magnitude. */
/* @options: -q */

BEGIN { @ = llquantize(55, 10, 0, 3, 10); exit(0); }
