/* A variable keeps its type. */
/* @options: -q */

struct s { int a; };
struct s v;
BEGIN { x = 1; x = v; exit(0); }
