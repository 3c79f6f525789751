/* And not 0. */

BEGIN { this->p = alloca(16); tracemem(this->p, 0); }
