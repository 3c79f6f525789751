/* 0 deletes an element that is a struct or a union. */
/* @options: -q */

struct p { int x; };
union u { int i; char c[4]; };
this struct p v;
self struct p s;
union u w;

BEGIN
{
	this->v.x = 9;
	m[1] = this->v;
	m[2] = this->v;
	self->s = this->v;
	w.i = 7;
	n["k"] = w;
	printf("%d %d %d %d\n", m[1].x, m[2].x, self->s.x, n["k"].i);
	m[1] = 0;
	self->s = 0;
	n["k"] = 0;
	printf("%d %d %d %d\n", m[1].x, m[2].x, self->s.x, n["k"].i);
	exit(0);
}
