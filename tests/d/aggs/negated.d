/* The value of an aggregating function can only be that of an aggregation. */
BEGIN
{
	x = !min(1);
	exit(0);
}
