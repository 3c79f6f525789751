/* To an element that is known only when it runs, and to memory. */
/* @options: -q */

struct s { int a; int b; };
struct s x[4];
struct s v;

BEGIN {
	v.a = 1;
	v.b = 2;
	i = 2;
	x[i] = v;
	p = (struct s *)alloca(2 * sizeof(struct s));
	*p = v;
	p[1] = x[2];
	printf("%d %d %d\n", x[2].b, p->b, p[1].a);
	exit(0);
}
