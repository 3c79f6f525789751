/* Shifts. */
/* @options: -q */

BEGIN { x = 1; y = -16; printf("%d %d %d\n", x << 10, 1024 >> 3, y >> 2); exit(0); }
