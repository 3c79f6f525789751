/* As often as it is called. */
/* @options: -q */

BEGIN { @ = sum(7); }
BEGIN { printa("%@d\n", @); printa("%@d\n", @); exit(0); }
