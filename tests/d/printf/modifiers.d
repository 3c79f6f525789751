/* The sizes of C are those of the arguments. */
/* @options: -q */

short s;
BEGIN { s = 1; printf("%hd %ld %lld\n", s, 2L, 3LL); exit(0); }
