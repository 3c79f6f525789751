/* %d and %i. */
/* @options: -q */

BEGIN { printf("%d %i %d\n", 42, -42, 9223372036854775807); exit(0); }
