/* By key instead of by value. */
/* @options: -q -xaggsortkey */

BEGIN
{
	@n["b"] = sum(1);
	@n["a"] = sum(2);
	exit(0);
}
