/* An array has the size of all of it. */
/* @options: -q */

struct s { int v[5]; char c[3]; };
BEGIN { printf("%d\n", sizeof (struct s)); exit(0); }
