/* An unsigned operand makes the comparison unsigned. */
/* @options: -q */

unsigned int u; int i;
BEGIN { u = 1; i = -1; printf("%d %d\n", i < u, i < 1); exit(0); }
