/* ++ and -- of an element, before and behind it. */
/* @options: -q */

BEGIN { a[1] = 5; x = a[1]++; y = ++a[1]; z = a[1]--; printf("%d %d %d %d\n", x, y, z, a[1]); exit(0); }
