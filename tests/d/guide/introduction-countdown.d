/* A predicate for each phase. */
/* @options: -q */

BEGIN
{
	left = 3;
}

tick-20ms
/left > 0/
{
	printf("%d\n", left--);
}

tick-20ms
/left == 0/
{
	printf("lift off\n");
	exit(0);
}
