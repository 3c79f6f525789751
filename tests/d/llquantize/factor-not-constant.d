/* The factor is constant. */

BEGIN { @a = llquantize(5, pid, 0, 3, 10); }
