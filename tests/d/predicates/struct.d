/* A struct is no predicate. */
/* @options: -q */

struct s { int a; };
struct s x;
BEGIN /x/ { exit(0); }
