/* An extension: if. */
/* @options: -q */

BEGIN { x = 1; if (x == 1) { printf("one\n"); } if (x == 2) { printf("two\n"); } exit(0); }
