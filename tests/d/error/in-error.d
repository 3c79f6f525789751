/* A fault in ERROR is none of its own, and others go on. */
/* @options: -q */

BEGIN { trace(*(int *)0); }
BEGIN { printf("goes on\n"); exit(0); }
ERROR { n++; trace(*(int *)0); }
END { printf("%d\n", n); }
