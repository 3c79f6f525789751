/* An argument is a number also with a suffix, which says its type. */
/* @options: -q */
/* @args: 42u 0x10UL 7ll */

BEGIN { printf("%d %d %d %d\n", $1, $2, $3, sizeof ($2)); exit(0); }
