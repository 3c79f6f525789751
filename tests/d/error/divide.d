/* The same for a division. */
/* @options: -q */

BEGIN { z = 0; x = 10 / z; }
ERROR { printf("%d\n", arg4); exit(0); }
