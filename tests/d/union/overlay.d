/* Members of a union lie on each other. */
/* @options: -q */

union u { unsigned int i; unsigned char c[4]; };
BEGIN { this->u = (union u *)alloca(sizeof (union u)); this->u->i = 0x01020304;
	printf("%d %d %d\n", this->u->c[0] + this->u->c[3], sizeof (union u), offsetof(union u, c)); exit(0); }
