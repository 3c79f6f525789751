/* @options: -q */
/* A constant chooses when the program is compiled: what is not chosen may be anything. */

inline int VERBOSE = 0;

BEGIN
{
	printf("%s %d %s\n", 1 ? "a" : 2, -1 > 0u ? 3 : 4, (char)256 ? "b" : "c");
	VERBOSE ? trace(1) : trace("short");
	exit(0);
}
