/* Nor what is neither. */
/* @options: -q */

BEGIN { self->i = speculation(); }
BEGIN { speculate(self->i); printf("never\n"); }
BEGIN { exit(0); }
