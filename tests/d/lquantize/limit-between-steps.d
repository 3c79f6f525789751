/* Where the steps do not end at the limit, the last bucket begins before it: all above is counted there. */
/* @options: -q */

BEGIN
{
	@ = lquantize(-23, -47, -20, 5);
	@ = lquantize(-22, -47, -20, 5);
	@ = lquantize(-21, -47, -20, 5);
	@ = lquantize(-20, -47, -20, 5);
	@ = lquantize(29, -47, -20, 5);
	@ = lquantize(0x7fffffffffffffff, -47, -20, 5);
	exit(0);
}
