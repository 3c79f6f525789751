/* What tracers see of a probe's argument is the same, or made by a translator. */

struct s { int a; }; struct t { int b; };
provider p { probe q(struct s *p) : (struct t *p); };
BEGIN { exit(0); }
