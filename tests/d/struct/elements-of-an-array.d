/* Structs of an array, by index. */
/* @options: -q */

struct s { int a; char b; }; struct s v[3];
BEGIN { v[2].a = 9; v[1].b = 'z'; printf("%d %c %d\n", v[2].a, v[1].b, v[0].a); exit(0); }
