/* A precision that is an argument. */
/* @options: -q */

BEGIN { printf("[%.*s]\n", 2, "abcdef"); exit(0); }
