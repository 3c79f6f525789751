/* -Z: that no probe matches is no error. */
/* @options: -q -Z */

nothing:::at-all
{
	trace(1);
}

BEGIN
{
	printf("it runs\n");
	exit(0);
}
