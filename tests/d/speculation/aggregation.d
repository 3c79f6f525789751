/* Nothing is aggregated in it. */

BEGIN { i = speculation(); speculate(i); @a = count(); }
