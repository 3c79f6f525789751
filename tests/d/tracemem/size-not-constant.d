/* The size is constant. */

BEGIN { this->p = alloca(16); tracemem(this->p, pid); }
