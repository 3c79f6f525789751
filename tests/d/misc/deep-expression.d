/* Deep nesting. */
/* @options: -q */

BEGIN { x = ((((((((((1 + 2) * 3) + 4) * 5) + 6) * 7) + 8) * 9) + 10) * 11); printf("%d\n", x); exit(0); }
