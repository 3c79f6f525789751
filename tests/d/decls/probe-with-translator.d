/* A translator makes what tracers see; one argument may be seen several times. */
/* @options: -q */

struct s { int a; }; struct t { int b; };
translator struct t < struct s *s > { b = s->a; };
provider p { probe q(struct s *p) : (struct t *p, struct s *p); probe r(int a, char b) : (int b, long a); };
BEGIN { printf("compiled\n"); exit(0); }
