/* Not into a number. */

struct in { int a; };
struct out { int c; };
translator struct out < struct in *i > { c = i->a; };
int y;

BEGIN { this->p = (struct in *)alloca(4); y = xlate <struct out>(this->p); exit(0); }
