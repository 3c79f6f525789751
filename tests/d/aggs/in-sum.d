/* The value of an aggregating function can only be that of an aggregation. */
BEGIN
{
	x = 1 + count();
	exit(0);
}
