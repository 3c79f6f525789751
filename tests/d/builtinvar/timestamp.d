/* Time goes on, and stands still in one firing. */
/* @options: -q */

BEGIN { a = timestamp; b = timestamp; printf("%d %d\n", a > 0, a == b); }
tick-10ms { printf("%d\n", timestamp > a + 1000000); exit(0); }
