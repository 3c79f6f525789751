/*
 * @compat: a string that was never assigned to, or set to NULL
 * @illumos: is as `""`, which also equals NULL
 */
/* @options: -q -xcompat=illumos */

string s;

BEGIN { s = NULL; printf("%d %d\n", s == "", s < ""); }
BEGIN { printf("[%s]\n", s); }
BEGIN { exit(0); }
ERROR { printf("fault %d\n", arg4); }
