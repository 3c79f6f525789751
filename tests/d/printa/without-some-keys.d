/* Keys that the format leaves out. */
/* @options: -q */

BEGIN { @["a", 1] = count(); @["b", 2] = count(); printa("%@d\n", @); exit(0); }
