/* An int has no members. */
/* @options: -q */

int *a;
BEGIN { x = a->a; exit(0); }
