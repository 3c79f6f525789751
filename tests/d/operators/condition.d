/* ?: takes one of two. */
/* @options: -q */

BEGIN { x = 5; printf("%s %d\n", x > 3 ? "more" : "less", x < 3 ? 1 : 2); exit(0); }
