/* With any index. */
/* @options: -q */

long a[5];
BEGIN { i = 2; a[i] = 5; a[i + 1] = 6; printf("%d %d\n", a[2], a[3]); exit(0); }
