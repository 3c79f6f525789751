/* All of it is printed at the commit, in order. */
/* @options: -q */

BEGIN { self->i = speculation(); }
BEGIN { speculate(self->i); printf("1\n"); }
BEGIN { printf("first\n"); }
BEGIN { speculate(self->i); printf("2\n"); }
BEGIN { commit(self->i); }
BEGIN { printf("last\n"); exit(0); }
