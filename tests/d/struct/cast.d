/* A struct may be cast to its own type, and a choice or an assignment of structs has members. */
/* @options: -q */

struct p { int x; string s; };
typedef struct p p_t;
struct p a;
p_t b;
p_t list[3];
p_t c;

BEGIN
{
	a.x = 4;
	a.s = "a";
	b.x = 5;
	b.s = "b";
	list[2] = b;
	i = 2;
	printf("%d %s\n", ((struct p)a).x, ((p_t)a).s);
	printf("%d %d\n", ((p_t)list[2]).x, ((p_t)list[i]).x);
	printf("%d %s\n", (i ? a : b).x, (i > 2 ? a : b).s);
	printf("%d %d\n", (c = b).x, c.x);
	m[1] = a;
	printf("%d %s\n", ((p_t)m[1]).x, ((p_t)m[1]).s);
	exit(0);
}
