/* Memory is copied. */
/* @options: -q */

BEGIN { this->a = (int *)alloca(8); this->b = (int *)alloca(8); this->a[0] = 5; this->a[1] = 6; bcopy(this->a, this->b, 8);
	printf("%d %d\n", this->b[0], this->b[1]); exit(0); }
