/* It has 16 bits. */

BEGIN { @a = llquantize(5, 65537, 0, 3, 10); }
