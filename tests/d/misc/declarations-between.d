/* Declarations and clauses in any order. */
/* @options: -q */

int a;
BEGIN { a = 1; }
int b;
BEGIN { b = a + 1; printf("%d\n", b); exit(0); }
