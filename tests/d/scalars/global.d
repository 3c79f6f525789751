/* A variable is 0 before it is assigned to. */
/* @options: -q */

int x;
BEGIN { printf("%d\n", x); x = 5; printf("%d\n", x); exit(0); }
