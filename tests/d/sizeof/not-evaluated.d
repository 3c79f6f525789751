/* Its operand is not evaluated. */
/* @options: -q */

BEGIN { x = 1; y = sizeof (x++); printf("%d %d\n", x, y); exit(0); }
