/* And cut when they are stored. */
/* @options: -q */

char c; unsigned char u; short s;
BEGIN { c = 200; u = 300; s = 70000; printf("%d %d %d\n", c, u, s); exit(0); }
