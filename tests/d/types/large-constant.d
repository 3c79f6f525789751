/* A constant that is no int is a long. */
/* @options: -q */

BEGIN { printf("%d %d\n", sizeof (2147483647), sizeof (4294967296)); exit(0); }
