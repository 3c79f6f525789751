/* %o. */
/* @options: -q */

BEGIN { printf("%o %#o\n", 8, 8); exit(0); }
