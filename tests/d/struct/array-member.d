/* A member can be an array. */
/* @options: -q */

struct s { int n; int v[4]; };
BEGIN { this->p = (struct s *)alloca(sizeof (struct s)); this->p->v[2] = 5; this->i = 2;
	printf("%d %d %d\n", this->p->v[this->i], sizeof (struct s), offsetof(struct s, v)); exit(0); }
