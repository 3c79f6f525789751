/* A negative number keeps the lowest. */
/* @options: -q */

BEGIN { @[1] = sum(10); @[2] = sum(30); @[3] = sum(20); trunc(@, -1); printa("%d %@d\n", @); exit(0); }
