/* Pointers count in what they point to. */
/* @options: -q */

BEGIN { this->p = (int *)alloca(16); this->p[2] = 9; this->q = this->p + 2; printf("%d %d\n", *this->q, (int)(this->q - this->p)); exit(0); }
