/* arg5 is the address of the member. */
/* @options: -q */

struct s { int a; int b; };
BEGIN { p = (struct s *)16; trace(p->b); }
ERROR { printf("%d %d\n", arg4, arg5); exit(0); }
