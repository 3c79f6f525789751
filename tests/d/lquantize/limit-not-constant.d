/* The limit is constant. */

BEGIN { @a = lquantize(5, 0, pid, 1); }
