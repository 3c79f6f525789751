/* A number too. */
/* @options: -q */
/* @args: 42 */

BEGIN { printf("%s %d\n", $$1, $1); exit(0); }
