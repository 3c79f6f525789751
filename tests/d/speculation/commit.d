/* What is committed is printed. */
/* @options: -q */

BEGIN { self->i = speculation(); }
BEGIN { speculate(self->i); printf("kept\n"); }
BEGIN { commit(self->i); }
BEGIN { exit(0); }
