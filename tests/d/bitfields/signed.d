/* The highest bit of a signed one is its sign. */
/* @options: -q */

struct bits { int a:2; unsigned int b:2; };
struct bits x;
BEGIN { x.a = 3; x.b = 3; printf("%d %d\n", x.a, x.b); exit(0); }
