/* The sign stays. */
/* @options: -q */

BEGIN { x = -8; printf("%d %d\n", x >> 1, x << 2); exit(0); }
