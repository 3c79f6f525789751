/* What was assigned before a fault stays. */
/* @options: -q */

BEGIN { x = 1; y = *(int *)8; x = 2; }
BEGIN { printf("%d\n", x); exit(0); }
