/* A key is as wide as at its first use. */
/* @options: -q */

BEGIN { a[1L] = 5; printf("%d %d\n", a[1], a[0x100000001]); exit(0); }
