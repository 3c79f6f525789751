/* Assigning operators and ++ of bit-fields. */
/* @options: -q */

struct b { unsigned a:4; unsigned b:4; }; struct b v;
BEGIN { v.a = 15; v.a++; v.b = 7; v.b <<= 1; printf("%d %d\n", v.a, v.b); exit(0); }
