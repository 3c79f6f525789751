/* A member of an element that was not there before. */
/* @options: -q */

struct s { int a; int b; }; struct s m[int];
BEGIN { m[1].a = 4; m[1].b = 5; printf("%d\n", m[1].a + m[1].b); exit(0); }
