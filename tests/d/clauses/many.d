/* Many clauses. */
/* @options: -q */

BEGIN { n = 1; } BEGIN { n *= 2; } BEGIN { n *= 2; } BEGIN { n *= 2; } BEGIN { n *= 2; } BEGIN { n *= 2; }
BEGIN { n *= 2; } BEGIN { n *= 2; } BEGIN { n *= 2; } BEGIN { n *= 2; } BEGIN { printf("%d\n", n); exit(0); }
