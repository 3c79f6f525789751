/* And else. */
/* @options: -q */

BEGIN { x = 2; if (x == 1) { printf("one\n"); } else { printf("other\n"); } exit(0); }
