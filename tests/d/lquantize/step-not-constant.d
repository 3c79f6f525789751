/* The step is constant. */

BEGIN { @a = lquantize(5, 0, 10, pid); }
