/* Of several lines. */
/* @options: -q */

BEGIN { x = 5; }
BEGIN
/ x == 5 &&
  x != 6 /
{ printf("yes\n"); exit(0); }
