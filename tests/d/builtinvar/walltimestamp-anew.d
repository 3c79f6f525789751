/* It is read anew each time; timestamp is that of the firing. */
/* @options: -q */

BEGIN
{
	w = walltimestamp;
	t = timestamp;
	printf("%d %d\n", walltimestamp > w, timestamp == t);
	exit(0);
}
