/* Lengths: negative ones leave that many off at the end. */
/* @options: -q */

BEGIN
{
	printf("[%s][%s][%s]\n", substr("foobar", 1, -2), substr("foobar", -3, -1), substr("foobar", 4, -4));
	printf("[%s][%s][%s]\n", substr("foobar", -10, 6), substr("foobar", 2, 0), substr("foobar", 2, 100));
	exit(0);
}
