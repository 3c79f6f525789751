/* A char without its sign has 8 bits. */
/* @options: -q */

char c;
BEGIN { c = -1; printf("%x %u %d\n", c, c, c); exit(0); }
