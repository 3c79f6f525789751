/* A value is read before it is written. */
/* @options: -q */

BEGIN { x = 3; x = x * x + x; printf("%d\n", x); exit(0); }
