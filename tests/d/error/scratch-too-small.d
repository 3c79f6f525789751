/* More than there is of scratch memory. */
/* @options: -q */

BEGIN { i = 300; p = alloca(i); }
ERROR { printf("%d\n", arg4); exit(0); }
