/* It needs no name. */
/* @options: -q */

struct { int a; int b; } x;
BEGIN { x.a = 1; x.b = 2; printf("%d\n", x.a + x.b); exit(0); }
