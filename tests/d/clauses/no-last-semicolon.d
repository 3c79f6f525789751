/* The last semicolon can be left out. */
/* @options: -q */

BEGIN { printf("a\n"); exit(0) }
