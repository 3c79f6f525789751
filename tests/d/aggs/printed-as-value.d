/* The value of an aggregating function can only be that of an aggregation. */
BEGIN
{
	printf("%d", sum(1));
	exit(0);
}
