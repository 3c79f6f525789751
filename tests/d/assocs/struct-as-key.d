/* Structs with the same members are the same key. */
/* @options: -q */

struct k { int a; int b; };
struct k x;
BEGIN { x.a = 1; x.b = 2; m[x] = 3; x.b = 3; m[x] = 4; x.b = 2; printf("%d\n", m[x]); exit(0); }
