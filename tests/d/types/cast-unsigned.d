/* A negative number as an unsigned one. */
/* @options: -q */

BEGIN { x = -1; printf("%u %u\n", (unsigned int)x, (unsigned short)x); exit(0); }
