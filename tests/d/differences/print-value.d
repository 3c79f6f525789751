/*
 * @adds: `print()` of a value
 * @erlbpf: It prints any value with its type, as in DTrace of illumos, and not only what a pointer points to.
 */
/* @options: -q */

BEGIN
{
	print(1);
	exit(0);
}
