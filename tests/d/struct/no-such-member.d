/* A member must exist. */

struct s { int a; };
struct s x;
BEGIN { trace(x.b); }
