/* The size of the argument is what counts. */
/* @options: -q */

BEGIN { x = -1LL; printf("%d %x\n", x, x); exit(0); }
