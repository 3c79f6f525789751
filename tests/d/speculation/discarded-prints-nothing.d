/* What is discarded is not printed. */
/* @options: -q */

BEGIN { self->s = speculation(); }
BEGIN { speculate(self->s); printf("spec\n"); }
BEGIN { discard(self->s); exit(0); }
