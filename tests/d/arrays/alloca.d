/* Memory of the clause is used as an array. */
/* @options: -q */

BEGIN { this->p = (int *)alloca(4 * sizeof (int)); this->p[0] = 10; this->p[1] = 20; this->p[2] = 30; this->p[3] = 40;
	printf("%d %d\n", this->p[1] + this->p[3], *this->p); exit(0); }
