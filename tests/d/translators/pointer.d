/* A translator computes members. */
/* @options: -q */

struct in { int a; };
struct out { int b; string s; };
translator struct out < struct in *p > { b = p->a + 1; s = "text"; };
BEGIN { this->p = (struct in *)alloca(sizeof (struct in)); this->p->a = 4;
	printf("%d %s\n", xlate <struct out *> (this->p)->b, xlate <struct out *> (this->p)->s); exit(0); }
