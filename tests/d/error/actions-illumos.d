/*
 * illumos: arg2 is the action, where each statement, argument and key is one, and the predicate is 0; arg3 is -1 if it
 * is not known where in it; a wrong size is a wrong address, a wrong index an illegal operation.
 * @options: -q -xcompat=illumos
 */
int n[2];

ERROR { printf("%d %d %d\n", arg2, arg3, arg4); }
BEGIN /1 / (pid - pid)/ { }
BEGIN { trace(1 / (pid - pid)); }
BEGIN { x = 1; trace(2); y = 1 / (pid - pid); }
BEGIN { printf("%d %d\n", 1, 1 / (pid - pid)); }
BEGIN { x = 1; @[1, 1 / (pid - pid)] = sum(1); }
BEGIN { x = 1; @s[1, 2] = sum(1 / (pid - pid)); }
BEGIN { @a[1, 2] = count(); @b = count(); trace(*(int *)16); }
BEGIN { printf("nothing\n"); p = alloca(8); bcopy(p, p, pid - pid - 1); }
BEGIN { i = 7; trace(n[i]); }
BEGIN { exit(0); }
END { trunc(@a); trunc(@b); }
