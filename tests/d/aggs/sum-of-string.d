/* Numbers are aggregated. */

BEGIN { @a = sum("one"); }
