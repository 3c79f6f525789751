/* It makes a struct. */

struct in { int a; };
translator int < struct in *p > { b = p->a; };
BEGIN { trace(1); }
