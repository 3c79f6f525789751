/* Members have different names. */

struct s { int a; int a; };
BEGIN { trace(1); }
