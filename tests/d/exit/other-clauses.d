/* Clauses behind it are no longer. */
/* @options: -q */

BEGIN { exit(0); }
BEGIN { printf("never\n"); }
