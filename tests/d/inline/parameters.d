/* With parameters. */
/* @options: -q */

inline int max[int a, int b] = a > b ? a : b;
BEGIN { printf("%d %d\n", max[3, 4], max[9, 2]); exit(0); }
