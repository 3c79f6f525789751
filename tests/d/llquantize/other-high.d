/* And highest. */

BEGIN { @a = llquantize(5, 10, 0, 3, 10); @a = llquantize(5, 10, 0, 4, 10); }
