/* And lowest magnitude. */

BEGIN { @a = llquantize(5, 10, 0, 3, 10); @a = llquantize(5, 10, 1, 3, 10); }
