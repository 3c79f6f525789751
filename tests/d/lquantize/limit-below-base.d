/* It is above the base. */

BEGIN { @a = lquantize(5, 10, 5, 1); }
