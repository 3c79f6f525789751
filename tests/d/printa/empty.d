/* Nothing if there is nothing. */
/* @options: -q */

BEGIN { x = 0; }
BEGIN /x/ { @ = count(); }
BEGIN { printa("%@d\n", @); printf("done\n"); exit(0); }
