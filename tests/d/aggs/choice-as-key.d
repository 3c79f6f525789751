/* A choice of two texts. */
/* @options: -q */

BEGIN { @[1 > 0 ? "yes" : "no"] = count(); printa("%s %@d\n", @); exit(0); }
