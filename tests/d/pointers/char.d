/* Bytes of a number. */
/* @options: -q */

BEGIN { this->p = (int *)alloca(4); *this->p = 0x41424344; this->c = (char *)this->p; printf("%c%c\n", this->c[0], this->c[3]); exit(0); }
