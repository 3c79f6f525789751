/* clear() sets values to 0, keys stay. */
/* @options: -q */

BEGIN { @[1] = sum(10); clear(@); printa("%d %@d\n", @); exit(0); }
