/* An index with an effect has it once. */
/* @options: -q */

int a[3];
BEGIN { i = 0; a[i++] = 1; a[i] = 2; printf("%d %d %d\n", a[0], a[1], i); exit(0); }
