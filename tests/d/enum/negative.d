/* Values may be negative. */
/* @options: -q */

enum e { A = -2, B, C };
BEGIN { printf("%d %d %d\n", A, B, C); exit(0); }
