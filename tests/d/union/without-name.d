/* Its members are those of the struct that it is in. */
/* @options: -q */

struct s { int a; union { int b; char c; }; };
struct s v;
BEGIN { v.b = 0x42; printf("%c\n", v.c); exit(0); }
