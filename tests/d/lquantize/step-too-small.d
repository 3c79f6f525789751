/* There are not too many steps. */

BEGIN { @a = lquantize(5, 0, 1000000, 1); }
