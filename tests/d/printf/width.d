/* Widths. */
/* @options: -q */

BEGIN { printf("[%5d] [%-5d] [%05d] [%8s] [%-8s]\n", 42, 42, 42, "abc", "abc"); exit(0); }
