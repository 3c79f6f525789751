/* And steps. */

BEGIN { @a = llquantize(5, 10, 0, 3, 10); @a = llquantize(5, 10, 0, 3, 20); }
