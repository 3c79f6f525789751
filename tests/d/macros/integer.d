/* Arguments of the command. */
/* @options: -q */
/* @args: 42 0x10 7 */

BEGIN { printf("%d %d %d\n", $1, $2, $3); exit(0); }
