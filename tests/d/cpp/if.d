/* Conditions. */
/* @options: -q -C */

#define X 1
#if X == 1
BEGIN { printf("one\n"); }
#else
BEGIN { printf("other\n"); }
#endif
BEGIN { exit(0); }
