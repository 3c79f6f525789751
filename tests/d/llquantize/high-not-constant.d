/* So is the highest. */

BEGIN { @a = llquantize(5, 10, 0, pid, 10); }
