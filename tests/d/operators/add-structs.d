/* Structs cannot be added. */
/* @options: -q */

struct s { int a; };
struct s a;
struct s b;
BEGIN { x = a + b; exit(0); }
