/* %s of characters. */
/* @options: -q */

struct s { char name[8]; };
BEGIN { this->p = (struct s *)alloca(sizeof (struct s)); this->p->name[0] = 'o'; this->p->name[1] = 'k'; this->p->name[2] = '\0';
	printf("%s\n", this->p->name); exit(0); }
