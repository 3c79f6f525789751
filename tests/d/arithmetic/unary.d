/* Operators with one operand. */
/* @options: -q */

BEGIN { x = 5; printf("%d %d %d %d %d\n", -x, +x, ~x, !x, !!x); exit(0); }
