/* Also behind a pointer. */

struct s { int a; };
BEGIN { this->p = (struct s *)alloca(sizeof (struct s)); trace(this->p->b); }
