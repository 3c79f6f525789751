/* Only as many as are said when it runs. */
/* @options: -q */

BEGIN { this->p = (long *)alloca(16); this->p[0] = 0x4847464544434241; this->n = 3; tracemem(this->p, 16, this->n); exit(0); }
