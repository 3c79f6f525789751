/* A struct that each thread has. */
/* @options: -q */

struct s { int a; int b; }; self struct s v;
BEGIN { self->v.a = 4; self->v.b = self->v.a * 2; printf("%d\n", self->v.b); exit(0); }
