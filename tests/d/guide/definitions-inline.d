/* Names of expressions, without a variable. */
/* @options: -q */

inline int LIMIT = 3 * 4;
inline string GREETING = "welcome";
inline int above[int n] = n > LIMIT;

BEGIN
{
	printf("%s %d %d %d\n", GREETING, LIMIT, above[12], above[13]);
	exit(0);
}
