/* A struct is no string. */

struct s { int a; };
struct s x;
BEGIN { trace(stringof(x)); }
