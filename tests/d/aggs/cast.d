/* The value of an aggregating function can only be that of an aggregation. */
BEGIN
{
	x = (int)quantize(1);
	exit(0);
}
