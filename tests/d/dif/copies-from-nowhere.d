/* The address 0 of a process cannot be read. */
/* @options: -q */

BEGIN { trace(copyinstr(0)); }
BEGIN { trace(*(char *)copyin(0, 1)); }
BEGIN { p = alloca(8); copyinto(0, 4, p); }
BEGIN { p = alloca(4); bcopy((void *)0, p, 4); }
BEGIN { exit(0); }
ERROR { printf("%d %d, ", arg4, arg5); }
END { printf("\n"); }
