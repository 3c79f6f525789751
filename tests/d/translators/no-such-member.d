/* With the members that it has. */

struct in { int a; };
struct out { int b; };
translator struct out < struct in *p > { c = p->a; };
BEGIN { trace(1); }
