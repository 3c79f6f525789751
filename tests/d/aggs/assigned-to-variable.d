/* The value of an aggregating function can only be that of an aggregation. */
BEGIN
{
	x = avg(1);
	exit(0);
}
