/* The preprocessor. */
/* @options: -q -C */

#define ANSWER 42
#define ADD(a, b) ((a) + (b))
BEGIN { printf("%d %d\n", ANSWER, ADD(1, 2)); exit(0); }
