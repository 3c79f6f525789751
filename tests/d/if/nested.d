/* One in the other. */
/* @options: -q */

BEGIN { x = 3; y = 4; if (x == 3) { if (y == 5) { printf("5\n"); } else { printf("4\n"); } } exit(0); }
