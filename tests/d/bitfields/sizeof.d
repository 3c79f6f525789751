/* It has no size. */

struct s { int a:3; int b:5; };
struct s x;
BEGIN { trace(sizeof (x.a)); }
