/* The mean, without a fraction. */
/* @options: -q */

BEGIN { @a = avg(1); @a = avg(2); @a = avg(5); exit(0); }
