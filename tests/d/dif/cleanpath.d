/* A path without detours, absolute or not. */
/* @options: -q */

BEGIN
{
	printf("%s %s %s\n", cleanpath("/a/../b/./c//d"), cleanpath("/a/b"), cleanpath("/.."));
	printf("%s %s %s %s %s\n", cleanpath("a/"), cleanpath("./a"), cleanpath("a/../b"), cleanpath("../.."),
	    cleanpath("/a/b/.."));
	printf("%s %s %s [%s]\n", cleanpath("/a/."), cleanpath("a/.."), cleanpath("."), cleanpath(""));
	exit(0);
}
