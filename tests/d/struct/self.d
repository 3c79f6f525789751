/* And one of the thread. */
/* @options: -q */

struct point { int x; int y; };
self struct point p;
BEGIN { self->p.x = 10; self->p.y = 20; }
BEGIN { printf("%d\n", self->p.x + self->p.y); exit(0); }
