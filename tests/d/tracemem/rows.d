/* Sixteen in a row. */
/* @options: -q */

BEGIN { this->p = (long *)alloca(24); this->p[0] = 0x4847464544434241; this->p[1] = 0x504f4e4d4c4b4a49; this->p[2] = 0x5857565554535251;
	tracemem(this->p, 24); exit(0); }
