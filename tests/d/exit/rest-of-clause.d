/* What follows in the clause is still done. */
/* @options: -q */

BEGIN { exit(0); printf("after\n"); }
