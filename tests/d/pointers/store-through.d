/* What a pointer points to is assigned to. */
/* @options: -q */

BEGIN { this->p = (int *)alloca(8); *this->p = 5; *(this->p + 1) = 6; *this->p += 10; printf("%d %d\n", this->p[0], this->p[1]); exit(0); }
