/* Members of a union without a name are those of the struct. */
/* @options: -q */

struct s { int t; union { long l; char c; }; }; struct s v;
BEGIN { v.l = 65; printf("%c\n", v.c); exit(0); }
