/* Bytes, as they lie there. */
/* @options: -q */

BEGIN { this->p = (char *)alloca(16); this->p[0] = 'A'; this->p[1] = 'b'; this->p[2] = 0; this->p[3] = 0x7f; tracemem(this->p, 4); exit(0); }
