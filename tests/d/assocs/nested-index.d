/* An element as a key. */
/* @options: -q */

BEGIN { a[1] = 2; a[2] = 3; a[3] = 4; printf("%d %d\n", a[a[1]], a[a[a[1]]]); exit(0); }
