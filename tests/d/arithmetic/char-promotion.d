/* Small types are computed with as ints. */
/* @options: -q */

char c; unsigned char u;
BEGIN { c = 100; u = 200; printf("%d %d %d\n", c + c, u + u, u * 2); exit(0); }
