/* An average of ints is cut. */
/* @options: -q */

BEGIN { @ = avg(1); @ = avg(2); printa("%@d\n", @); exit(0); }
