/* What is read has been translated. */

struct in { int a; };
struct out { int b; int c; };
translator struct out < struct in *p > { b = p->a; };
BEGIN { this->p = (struct in *)alloca(8); trace(xlate <struct out *> (this->p)->c); }
