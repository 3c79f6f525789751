/* Memory of the clause has an end. */
/* @options: -q */

BEGIN { this->p = (char *)alloca(8); this->i = 100000; trace(this->p[this->i]); }
ERROR { printf("error\n"); exit(0); }
