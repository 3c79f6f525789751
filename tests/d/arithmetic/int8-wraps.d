/* A signed byte wraps where it is stored. */
/* @options: -q */

int8_t a;
BEGIN { a = 127; a++; printf("%d\n", a); exit(0); }
