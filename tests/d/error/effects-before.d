/* What was done before it is done. */
/* @options: -q */

BEGIN { x = 1; z = 0; x = 2; y = 1 / z; x = 3; }
BEGIN { printf("%d\n", x); exit(0); }
