/* ERROR tells what was wrong: the fault, and the address. */
/* @options: -q */

BEGIN { trace(*(char *)0x20); }
ERROR { printf("%d %x\n", arg4, arg5); exit(0); }
