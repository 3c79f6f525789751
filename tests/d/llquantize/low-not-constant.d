/* The lowest magnitude is constant. */

BEGIN { @a = llquantize(5, 10, pid, 3, 10); }
