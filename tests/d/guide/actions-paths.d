/* basename(), dirname(), cleanpath(). */
/* @options: -q */

BEGIN
{
	printf("%s %s %s\n", basename("/usr/bin/env"), dirname("/usr/bin/env"), cleanpath("/usr/./lib/../bin//env"));
	exit(0);
}
