/* A width from an argument. */
/* @options: -q */

BEGIN { w = 6; printf("[%*d] [%-*d] [%.*s]\n", w, 42, w, 42, 3, "abcdef"); exit(0); }
