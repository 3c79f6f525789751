/* A union that is a member. */
/* @options: -q */

struct s { int t; union { long l; char c[8]; } u; }; struct s v;
BEGIN { v.u.l = 0x4142; printf("%c%c %d\n", v.u.c[0], v.u.c[1], sizeof (struct s)); exit(0); }
