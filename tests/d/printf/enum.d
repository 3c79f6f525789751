/* An enumerator is a number. */
/* @options: -q */

enum e { A = 3 };
BEGIN { printf("%d\n", A); exit(0); }
