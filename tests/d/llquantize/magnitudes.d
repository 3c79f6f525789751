/* From one order of magnitude to the next. */
/* @options: -q */

BEGIN { @ = llquantize(9, 10, 0, 3, 10); @ = llquantize(10, 10, 0, 3, 10); exit(0); }
