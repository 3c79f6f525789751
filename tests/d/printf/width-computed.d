/* A width that a function returns. */
/* @options: -q */

BEGIN { printf("%*s|\n", strlen("abcd"), "x"); exit(0); }
