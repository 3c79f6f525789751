/* The same aggregation always has the same factor. */

BEGIN { @a = llquantize(5, 10, 0, 3, 10); @a = llquantize(5, 20, 0, 3, 10); }
