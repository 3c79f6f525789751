/* A step has 16 bits. */

BEGIN { @a = lquantize(5, 0, 1000000, 100000); }
