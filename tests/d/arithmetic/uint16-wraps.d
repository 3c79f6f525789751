/* An unsigned short wraps where it is stored. */
/* @options: -q */

uint16_t a;
BEGIN { a = 65535; a += 2; printf("%d\n", a); exit(0); }
