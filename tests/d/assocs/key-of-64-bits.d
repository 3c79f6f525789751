/* Keys are not cut to ints. */
/* @options: -q */

BEGIN { a[0x100000000] = 1; a[0] = 2; printf("%d %d\n", a[0x100000000], a[0]); exit(0); }
