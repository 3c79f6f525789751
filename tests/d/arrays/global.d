/* A variable can be an array of scalars. */
/* @options: -q */

int a[4];
BEGIN { a[0] = 1; a[3] = 4; }
BEGIN { printf("%d %d %d\n", a[0], a[1], a[3]); exit(0); }
