/* A short without its sign has 16 bits. */
/* @options: -q */

short c;
BEGIN { c = -1; printf("%x %u\n", c, c); exit(0); }
