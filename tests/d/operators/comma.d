/* The last counts. */
/* @options: -q */

BEGIN { x = (1, 2, 3); printf("%d\n", x); exit(0); }
