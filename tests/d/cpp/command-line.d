/* Names from the command line. */
/* @options: -q -C -DX=7 -DY */

#ifdef Y
BEGIN { printf("%d\n", X); exit(0); }
#endif
