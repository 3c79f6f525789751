/* A step is not larger than all of it. */

BEGIN { @a = lquantize(5, 0, 10, 20); }
