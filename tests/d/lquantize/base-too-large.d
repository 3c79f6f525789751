/* It has 32 bits. */

BEGIN { @a = lquantize(5, 0x100000000, 0x100000010, 1); }
