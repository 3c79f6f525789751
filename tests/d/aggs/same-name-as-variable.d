/* Aggregations have their own names. */
/* @options: -q */

BEGIN { a = 5; @a = sum(a); printf("%d\n", a); exit(0); }
