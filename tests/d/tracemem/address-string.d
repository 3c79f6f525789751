/* A number or pointer says where. */

struct s { int a; };
struct s x;
BEGIN { tracemem(x, 16); }
