/* Characters as a string. */
/* @options: -q */

BEGIN { this->p = (char *)alloca(8); this->p[0] = 'h'; this->p[1] = 'i'; this->p[2] = 0; printf("%s\n", stringof(this->p)); exit(0); }
