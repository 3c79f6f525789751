/* Any expression. */
/* @options: -q */

BEGIN { x = 5; y = 6; }
BEGIN /x < y && (y - x == 1 || x > 100)/ { printf("yes\n"); }
BEGIN /!(x < y)/ { printf("no\n"); }
BEGIN { exit(0); }
