/* It has no more than its type. */

struct s { int a:33; };
BEGIN { trace(1); }
