/* An assignment copies all members. */
/* @options: -q */

struct s { int a; int b; };
struct s x;
struct s y;
BEGIN { x.a = 1; x.b = 2; y = x; x.a = 9; printf("%d %d\n", y.a, y.b); exit(0); }
