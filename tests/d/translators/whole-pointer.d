/* There is nothing that it could point to. */

struct in { int a; };
struct out { int c; };
translator struct out < struct in *i > { c = i->a; };

BEGIN { this->p = (struct in *)alloca(4); y = xlate <struct out *>(this->p); exit(0); }
