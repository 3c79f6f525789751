/* With argref, what is there need not be used. */
/* @options: -q -xargref */
/* @args: 1 2 */

BEGIN { printf("%d\n", $1); exit(0); }
