/* Any value but 0 is true. */
/* @options: -q */

BEGIN { printf("%d %d %d\n", 5 && 7, 0 || 9, 5 ^^ 7); exit(0); }
