/* For an expression, which is evaluated whenever it is used. */
/* @options: -q */

int x;
inline int twice = x * 2;
BEGIN { x = 4; a = twice; x = 5; printf("%d %d\n", a, twice); exit(0); }
