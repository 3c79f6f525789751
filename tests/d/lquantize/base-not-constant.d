/* The base is constant. */

BEGIN { @a = lquantize(5, pid, 10, 1); }
