/* More conversions than keys. */
/* @options: -q */

BEGIN { @[1] = count(); printa("%d %d %@d\n", @); exit(0); }
