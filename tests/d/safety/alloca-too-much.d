/* And there is not any amount of it. */
/* @options: -q */

BEGIN { this->n = 1000000; this->p = (char *)alloca(this->n); this->p[0] = 1; }
ERROR { printf("error\n"); exit(0); }
