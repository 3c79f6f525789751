/* A struct is neither true nor false. */
/* @options: -q */

struct s { int a; };
struct s a;
BEGIN { x = a && 1; exit(0); }
