/* Members behind a pointer. */
/* @options: -q */

struct point { int x; int y; };
BEGIN { this->p = (struct point *)alloca(sizeof (struct point)); this->p->x = 1; this->p->y = 2;
	printf("%d %d\n", this->p->x, (*this->p).y); exit(0); }
