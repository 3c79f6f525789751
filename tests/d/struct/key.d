/* A struct or a union as a key is its bytes, wherever it is. */
/* @options: -q */

struct k { int a; int b; };
struct odd { int a; char b; int c; };
union u { int i; char c[5]; };
struct k x;
struct k y;
struct odd o;
struct odd p;
union u v;
union u w;

BEGIN
{
	x.a = 7;
	y.a = 7;
	n[x] = 5;
	printf("%d\n", n[y]);
	x.a = 8;
	printf("%d\n", n[x]);
	o.a = p.a = 1;
	odd[o, "x"] = 2;
	v.i = w.i = 5;
	un[v] = 3;
	printf("%d %d %d\n", odd[p, "x"], odd[p, "y"], un[w]);
	self->s[x, 1] = 9;
	elements[1] = x;
	n[elements[1]] = 44;
	n[elements[1]]++;
	printf("%d %d %d\n", self->s[x, 1], n[x], n[y]);
	q = (struct k *)alloca(8);
	q->a = 8;
	printf("%d\n", n[*q]);
	@[x] = sum(1);
	@[elements[1]] = sum(2);
	@[*q] = sum(4);
	@odd[o] = sum(1);
	@odd[p] = sum(2);
	exit(0);
}

END
{
	printa("%@d\n", @);
	printa("%@d\n", @odd);
}
