/* The last divisor counts, and not both. */
/* @options: -q */

BEGIN { @ = sum(1000); normalize(@, 10); normalize(@, 100); printa("%@d\n", @); exit(0); }
