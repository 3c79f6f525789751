/* A struct in memory of alloca(). */
/* @options: -q */

struct s { char c; int n; };
BEGIN { p = (struct s *)alloca(sizeof (struct s)); p->n = 7; p->c = 'q'; printf("%d %c\n", p->n, p->c); exit(0); }
