/* It is that of the firing. */
/* @options: -q -xcompat=illumos */

BEGIN
{
	w = walltimestamp;
	printf("%d\n", walltimestamp == w);
	exit(0);
}
