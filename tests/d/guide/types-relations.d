/* Relations and logic; strings are compared as strcmp() does. */
/* @options: -q */

BEGIN
{
	printf("%d %d %d %d\n", 3 < 4, 4 <= 4, 3 == 4, 3 != 4);
	printf("%d %d\n", "orange" < "orbit", "a" == "a");
	printf("%d %d %d %d\n", 1 && 0, 1 || 0, 1 ^^ 1, !5);
	exit(0);
}
