/* All that is translated at once, into variables of each kind. */
/* @options: -q */

struct in { int a; int b; };
typedef struct out { int c; string d; } out_t;
translator out_t < struct in *i > { c = i->a + i->b; d = "text"; };

self out_t t;

BEGIN {
	this->p = (struct in *)alloca(sizeof(struct in));
	this->p->a = 3;
	this->p->b = 4;
	this->o = xlate <out_t>(this->p);
	g = xlate <out_t>(this->p);
	e[1] = xlate <out_t>(this->p);
	self->t = xlate <out_t>(this->p);
	printf("%d %s %d %s\n", this->o.c, this->o.d, g.c, g.d);
	printf("%d %s %d %s\n", e[1].c, e[1].d, self->t.c, self->t.d);
	exit(0);
}
