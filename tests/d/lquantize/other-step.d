/* And step. */

BEGIN { @a = lquantize(5, 0, 10, 1); @a = lquantize(5, 0, 10, 2); }
