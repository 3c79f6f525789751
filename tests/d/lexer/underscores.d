/* Names with underscores and digits. */
/* @options: -q */

BEGIN { _x1 = 1; __y = 2; a_b_3 = 3; printf("%d\n", _x1 + __y + a_b_3); exit(0); }
