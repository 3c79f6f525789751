/* A number is printed in its own size. */
/* @options: -q */

int i; short s; char c;
BEGIN { i = -1; s = -1; c = -1; printf("%x %x %x %x\n", i, s, c, -1LL); exit(0); }
