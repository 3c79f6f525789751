/* What has been laid out stays as it is. */

struct s { int a; string n; };
struct s v;
#pragma D option strsize=1k

BEGIN { v.n = "x"; exit(0); }
