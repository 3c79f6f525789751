/* In memory of alloca(). */
/* @options: -q -xscratchsize=1k */

struct s { int a; string n; int z; };

BEGIN {
	p = (struct s *)alloca(sizeof(struct s));
	p->z = 5;
	p->n = "hello";
	q = (string *)alloca(300);
	*q = "foo";
	printf("%s %d %s\n", p->n, p->z, *q);
	exit(0);
}
