/* A field may be wider than any line. */
/* @options: -q */

BEGIN
{
	printf("%5000d|%*s|%.4100d\n", 1, 4000, "x", 7);
	exit(0);
}
