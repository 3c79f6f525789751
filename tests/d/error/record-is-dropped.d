/* What a clause with a fault has printed is dropped. */
/* @options: -q */

BEGIN { printf("a\n"); trace(*(int *)8); printf("b\n"); }
BEGIN { printf("c\n"); exit(0); }
