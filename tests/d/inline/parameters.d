/* With parameters. */
/* @options: -q */

inline int most[int a, int b] = a > b ? a : b;
BEGIN { printf("%d %d\n", most[3, 4], most[9, 2]); exit(0); }
