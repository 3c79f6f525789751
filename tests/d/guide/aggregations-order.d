/* By value, then by key; the options turn it round. */
/* @options: -q -xaggsortrev */

BEGIN
{
	@n["b"] = sum(1);
	@n["a"] = sum(2);
	@n["c"] = sum(2);
	exit(0);
}
