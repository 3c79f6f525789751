/* And none. */
/* @options: -q -C -DX=7 -UX */

#ifndef X
BEGIN { printf("undefined\n"); exit(0); }
#endif
