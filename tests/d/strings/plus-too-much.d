/* Behind its end there is nothing. */
/* @options: -q */

BEGIN { x = "hello"; i = 300; printf("%s", x + i); exit(0); }
ERROR { printf("fault %d\n", arg4); exit(0); }
