/* Both run, in order. */
/* @options: -q */

ERROR { printf("one "); }
ERROR { printf("two\n"); exit(0); }
BEGIN { trace(*(int *)0); }
