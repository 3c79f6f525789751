/* A line for each key, with the same buckets; a printa() with a format shows them as ever. */
/* @options: -q -xaggpack */

BEGIN { @q["a"] = quantize(5); @q["b"] = quantize(1); @q["b"] = quantize(2); @q["b"] = quantize(3); }
BEGIN { @l = lquantize(55, 0, 100, 10); @l = lquantize(-1, 0, 100, 10); @l = lquantize(56, 0, 100, 10); }
BEGIN { printa(@q); printa(@l); exit(0); }
