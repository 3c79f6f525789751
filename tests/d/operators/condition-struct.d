/* What is before ? is a scalar. */

struct s { int a; };
struct s x;
BEGIN { trace(x ? 1 : 2); }
