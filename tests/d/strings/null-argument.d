/* NULL is no text. */
/* @options: -q */

BEGIN { printf("%d\n", strlen(NULL)); }
ERROR { printf("fault %d at %d\n", arg4, arg5); exit(0); }
