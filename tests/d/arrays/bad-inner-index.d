/* @options: -q */
/* It would be another element's place. */
int a[3][4];
BEGIN { i = 1; j = 4; a[i][j] = 5; }
ERROR { printf("fault %d, %d\n", arg4, arg5); exit(0); }
