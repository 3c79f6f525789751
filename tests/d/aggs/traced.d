/* The value of an aggregating function can only be that of an aggregation. */
BEGIN
{
	trace(max(1));
	exit(0);
}
