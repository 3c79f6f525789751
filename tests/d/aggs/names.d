/* Several aggregations, in the order of the program. */
/* @options: -q */

BEGIN { @b = sum(2); @a = sum(1); exit(0); }
