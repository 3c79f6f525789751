/* The same name in three scopes is three variables. */
/* @options: -q */

BEGIN { x = 1; self->x = 2; this->x = 3; printf("%d %d %d\n", x, self->x, this->x); exit(0); }
