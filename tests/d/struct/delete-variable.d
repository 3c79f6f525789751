/* A variable that is no element cannot be deleted. */

struct p { int x; };
struct p v;
BEGIN { v = 0; }
