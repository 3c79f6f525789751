/* A slash divides, except around predicates. */
/* @options: -q */

BEGIN /(8 / 4) == 2/ { x = 8/4/2; printf("%d\n", x); exit(0); }
