/* rindex() with a start: no later place counts, and none is before 0. */
/* @options: -q */

BEGIN
{
	printf("%d %d %d %d\n", rindex("foofoo", "foo", 2), rindex("foofoo", "foo", 3), rindex("foofoo", "foo", -1),
	    rindex("foofoo", "foo", 0));
	printf("%d %d\n", rindex("foofoo", "", 100), rindex("foofoo", "", 2));
	exit(0);
}
