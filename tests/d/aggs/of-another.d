/* The value of an aggregating function can only be that of an aggregation. */
BEGIN
{
	@ = sum(count());
	exit(0);
}
