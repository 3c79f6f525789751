/* A string at a wrong address. */
/* @options: -q */

BEGIN { printf("%s\n", stringof((char *)0x8)); }
ERROR { printf("error %d\n", arg4); exit(0); }
