/* A string has the size that strings have. */
/* @options: -q */

BEGIN { printf("%d\n", sizeof (string)); exit(0); }
