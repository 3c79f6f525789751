/* What is too large is cut. */
/* @options: -q */

struct bits { unsigned int a:3; unsigned int b:5; };
struct bits x;
BEGIN { x.b = 1; x.a = 13; printf("%d %d\n", x.a, x.b); exit(0); }
