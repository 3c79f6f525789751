/* Pointers are numbers when they are cast. */
/* @options: -q */

BEGIN { this->p = (int *)0x1000; printf("%x %x\n", (long)this->p, (long)(this->p + 1)); exit(0); }
