/* Clauses of a probe run in the order of the program. */
/* @options: -q */

BEGIN { n = 1; }
BEGIN { n *= 10; }
BEGIN { n += 5; printf("%d\n", n); exit(0); }
