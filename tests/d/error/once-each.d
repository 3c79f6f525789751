/* ERROR fires for each fault. */
/* @options: -q */

BEGIN { trace(*(int *)8); }
BEGIN { trace(*(int *)9); }
ERROR { n++; }
BEGIN { printf("%d\n", n); exit(0); }
