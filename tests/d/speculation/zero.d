/* Speculating on none is nothing. */
/* @options: -q */

BEGIN { speculate(0); printf("never\n"); }
BEGIN { printf("done\n"); exit(0); }
