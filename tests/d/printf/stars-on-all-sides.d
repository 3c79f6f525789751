/* Widths and precisions that are arguments, also of a text and to the left. */
/* @options: -q */

BEGIN { printf("%*d|%-*d|%.*s|%*.*s|\n", 5, 42, 5, 42, 2, "abc", 6, 2, "abc"); exit(0); }
