/* It has 32 bits. */

BEGIN { @a = lquantize(5, 0, 0x100000010, 1); }
