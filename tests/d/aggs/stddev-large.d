/* Of large numbers. */
/* @options: -q */

BEGIN { @a = stddev(1000000000); @a = stddev(3000000000); exit(0); }
