/* The standard deviation. */
/* @options: -q */

BEGIN { @a = stddev(2); @a = stddev(4); @a = stddev(4); @a = stddev(4); @a = stddev(5); @a = stddev(5); @a = stddev(7); @a = stddev(9); exit(0); }
