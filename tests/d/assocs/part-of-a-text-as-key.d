/* A part of a text is the key that the same text is. */
/* @options: -q */

BEGIN { a[substr("hello", 1, 2)] = 3; printf("%d\n", a["el"]); exit(0); }
