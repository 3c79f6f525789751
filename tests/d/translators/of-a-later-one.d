/* What it is made of may be defined later, as its members are looked at then. */
/* @options: -q */

struct out { int a; };
translator struct out < struct in *p > { a = p->a + 1; };
struct in { int a; };
BEGIN
{
	this->p = (struct in *)alloca(sizeof (struct in));
	this->p->a = 41;
	printf("%d\n", xlate <struct out *> (this->p)->a);
	exit(0);
}
