/* printa() sorts as the option says. */
/* @options: -q -xaggsortrev */

BEGIN { @[1] = sum(1); @[2] = sum(2); printa("%d %@d\n", @); exit(0); }
