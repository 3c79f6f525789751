/* A line that goes on. */
/* @options: -q -C */

#define LONG 1 + \
	2
BEGIN { printf("%d\n", LONG); exit(0); }
