/* Steps from an element on. */
/* @options: -q */

int a[4];
BEGIN { a[2] = 9; p = &a[0]; printf("%d %d\n", *(p + 2), p[2]); exit(0); }
