/* As in C. */
/* @options: -q */

BEGIN { printf("%d %d %d %d\n", 2 + 3 * 4, (2 + 3) * 4, 20 - 5 - 3, 100 / 10 / 2); exit(0); }
