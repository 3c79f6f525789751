/* The four operations and the rest. */
/* @options: -q */

BEGIN { printf("%d %d %d %d %d\n", 7 + 3, 7 - 3, 7 * 3, 7 / 3, 7 % 3); exit(0); }
