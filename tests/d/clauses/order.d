/* Clauses run in the order of the program. */
/* @options: -q */

BEGIN { printf("1\n"); }
BEGIN { printf("2\n"); }
BEGIN { printf("3\n"); exit(0); }
