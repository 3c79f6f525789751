/* Nothing is cast to a struct. */

struct s { int a; };
BEGIN { trace((struct s)1); }
