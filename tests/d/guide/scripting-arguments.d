/* $1 is an argument as it is, $$2 as text. */
/* @options: -q */
/* @args: 42 word */

BEGIN
{
	printf("%d %s %s\n", $1 * 2, $$2, $$1);
	exit(0);
}
