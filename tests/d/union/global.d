/* A variable can be one. */
/* @options: -q */

union u { long l; char c; short s; };
union u x;
BEGIN { x.l = 0x1ff; printf("%d %d\n", x.s, sizeof (union u)); exit(0); }
