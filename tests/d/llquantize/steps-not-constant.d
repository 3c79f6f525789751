/* So are the steps. */

BEGIN { @a = llquantize(5, 10, 0, 3, pid); }
