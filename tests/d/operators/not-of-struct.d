/* So is what ! is applied to. */

struct s { int a; };
struct s x;
BEGIN { trace(!x); }
