/* The sizes of C are understood. */
/* @options: -q */

BEGIN { printf("%hd %ld %lld %lx %llu\n", 1, 2, 3LL, 255, 4ULL); exit(0); }
