/* A string in a struct is shown as text. */
/* @options: -q */

struct s { int a; string n; };
struct s v;

BEGIN { v.a = 1; v.n = "abc"; print(v); exit(0); }
