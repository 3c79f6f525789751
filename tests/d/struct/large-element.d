/* Structs larger than a string, in arrays and in self-> variables. */
/* @options: -q */

struct s { int a; char big[1000]; int z; };
struct s e[int];
struct s v;
self struct s t;

BEGIN {
	e[1].z = 5;
	e[1].big[999] = 'x';
	v = e[1];
	e[2] = v;
	self->t = e[2];
	i = 999;
	printf("%d %c %d %c %d %c %c\n", v.z, v.big[999], e[2].z, e[2].big[999], self->t.z, self->t.big[999], self->t.big[i]);
	exit(0);
}
