/* A normalized value is cut. */
/* @options: -q */

BEGIN { @ = sum(100); normalize(@, 3); printa("%@d\n", @); exit(0); }
