/* Shifts bind weaker than sums. */
/* @options: -q */

BEGIN { printf("%d\n", 1 << 2 + 1); exit(0); }
