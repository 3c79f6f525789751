/* Without parentheses as well. */
/* @options: -q */

long l;
BEGIN { printf("%d\n", sizeof l); exit(0); }
