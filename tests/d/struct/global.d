/* A variable can be a struct. */
/* @options: -q */

struct point { int x; int y; };
struct point p;
BEGIN { p.x = 3; p.y = -4; }
BEGIN { printf("%d %d\n", p.x, p.y); exit(0); }
