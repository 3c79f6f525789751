/* Nothing is copied behind what was asked for. */
/* @options: -q */

BEGIN { x = alloca(10); bcopy("abcdefghijklmnopqrst", x, 20); exit(0); }
ERROR { printf("fault %d\n", arg4); exit(0); }
