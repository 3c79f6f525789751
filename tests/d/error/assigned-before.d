/* What was assigned before the fault stays. */
/* @options: -q */

BEGIN { a = 1; b = *(int *)0; c = 1; }
BEGIN { printf("%d %d %d\n", a, b, c); exit(0); }
