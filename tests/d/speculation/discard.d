/* What is discarded is not. */
/* @options: -q */

BEGIN { self->i = speculation(); }
BEGIN { speculate(self->i); printf("thrown away\n"); }
BEGIN { discard(self->i); }
BEGIN { printf("done\n"); exit(0); }
