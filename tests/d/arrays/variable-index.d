/* The index is any number. */
/* @options: -q */

BEGIN { this->p = (long *)alloca(64); this->i = 3; this->p[this->i] = 7; this->i++; this->p[this->i] = 8;
	printf("%d %d\n", this->p[3], this->p[4]); exit(0); }
