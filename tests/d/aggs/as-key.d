/* The value of an aggregating function can only be that of an aggregation. */
BEGIN
{
	@[count()] = count();
	exit(0);
}
