/* A struct is assigned as a whole. */
/* @options: -q */

struct point { int x; int y; };
struct point p; struct point q;
BEGIN { p.x = 1; p.y = 2; q = p; p.x = 9; printf("%d %d\n", q.x, q.y); exit(0); }
