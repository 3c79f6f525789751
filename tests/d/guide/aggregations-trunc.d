/* The largest only; clear() keeps the keys, trunc() does not. */
/* @options: -q */

BEGIN
{
	@n["a"] = sum(1);
	@n["b"] = sum(5);
	@n["c"] = sum(3);
	trunc(@n, 2);
	printa("%s %@d\n", @n);
	clear(@n);
	printa("%s %@d\n", @n);
	trunc(@n);
	printa("%s %@d\n", @n);
	exit(0);
}
