/* A size that is larger than all memory of the clause, or negative, is a fault of its own. */
/* @options: -q */

BEGIN { n = 300; p = (char *)alloca(8); bcopy("x", p, n); }
BEGIN { n = -1; p = (char *)alloca(8); bcopy("x", p, n); }
BEGIN { n = 300; q = copyin(0, n); }
BEGIN { n = 9; p = (char *)alloca(8); bcopy("123456789", p, n + 8); }
BEGIN { exit(0); }
ERROR { printf("%d %d\n", arg4, arg4 == 10 ? arg5 : 0); }
