/* And computed with. */
/* @options: -q */

enum bits { ONE = 1 << 0, TWO = 1 << 1, FOUR = 1 << 2 };
BEGIN { x = ONE | FOUR; printf("%d %d\n", x, x & TWO); exit(0); }
