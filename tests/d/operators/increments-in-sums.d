/* Before and after, in one expression. */
/* @options: -q */

BEGIN { x = 5; y = x++ + ++x; printf("%d %d\n", x, y); y = x-- - --x; printf("%d %d\n", x, y); exit(0); }
