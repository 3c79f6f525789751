/* Arrays are apart. */
/* @options: -q */

BEGIN { a[1] = 1; b[1] = 2; printf("%d %d\n", a[1], b[1]); exit(0); }
