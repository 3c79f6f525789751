/* From left to right: 5 + 7. */
/* @options: -q */

BEGIN { i = 5; j = i++ + ++i; printf("%d %d\n", i, j); exit(0); }
