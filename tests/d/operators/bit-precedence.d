/* Bits bind weaker than comparison, as in C. */
/* @options: -q */

BEGIN { printf("%d %d\n", 6 & 3 == 3, (6 & 3) == 3); exit(0); }
