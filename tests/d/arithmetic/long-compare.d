/* A long keeps the sign of what an unsigned int is compared with. */
/* @options: -q */

unsigned int u; long l;
BEGIN { u = 1; l = -1; printf("%d\n", l < u); exit(0); }
