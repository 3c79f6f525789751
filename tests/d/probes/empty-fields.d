/* Fields that are left out match all. */
/* @options: -q */

dtrace:::BEGIN { printf("1\n"); }
:::BEGIN { printf("2\n"); }
::BEGIN { printf("3\n"); }
BEGIN { exit(0); }
