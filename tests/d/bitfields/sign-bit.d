/* The highest bit of a signed one is its sign. */
/* @options: -q */

struct b { int a:4; }; struct b v;
BEGIN { v.a = 8; printf("%d\n", v.a); v.a = 7; printf("%d\n", v.a); exit(0); }
