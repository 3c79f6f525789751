/* The same aggregation always has the same base. */

BEGIN { @a = lquantize(5, 0, 10, 1); @a = lquantize(5, 1, 10, 1); }
