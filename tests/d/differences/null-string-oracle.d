/*
 * @compat: a string that was never assigned to, or set to NULL
 * @oracle: is NULL: another than `""`, and before it in order; to print it, to use it as a key or to look at its
 *   characters is a fault
 */
/* @options: -q -xcompat=oracle */

string s;

BEGIN { s = NULL; printf("%d %d\n", s == "", s < ""); }
BEGIN { printf("[%s]\n", s); }
BEGIN { exit(0); }
ERROR { printf("fault %d\n", arg4); }
