/* Sums and products of any length: DTrace has no limit of operators in a row. */
/* @options: -q */

BEGIN
{
	y = 3;
	z = (uint64_t)1 << 63;
	total = y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+
	y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+
	y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+
	y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+
	y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+
	y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y+y;
	printf("%d\n", total);
	mixed = y+y+y-y+y+y-y+y+y-y+y+y-y+y+y-y+y+y-y+y+y-y+y+y-y+y+y-y+y+y-y+y+y-y+y+y-y+y+y-y+y+y-y+y+y-y+y+y-y+y+
	y-y+y+y-y+y+y-y+y+y-y+y+y-y+y+y-y+y+y-y+y+y-y+y+y-y+y+y-y+y+y-y+y+y-y+y+y-y+y+y-y+y+y-y+y+y-y+y+y-y+
	y+y-y+y+y-y+y+y-y+y+y-y+y+y-y+y+y-y+y+y-y+y+y-y+y+y-y+y+y-y+y+y-y+y+y-y+y+y-y+y+y-y+y+y-y+y+y-y+y+y-
	y+y+y-y+y+y-y+y+y-y+y+y-y+y+y-y+y+y-y+y+y-y+y+y-y+y+y-y+y+y-y+y+y-y+y+y-y+y+y-y+y+y-y+y+y-y+y+y-y+y+
	y-y+y+y-y+y+y-y+y+y-y+y+y-y+y+y-y+y+y-y+y+y-y+y+y-y+y+y-y+y+y-y+y+y-y+y+y-y+y+y-y+y+y-y+y+y-y+y+y-y+
	y+y-y+y+y-y+y+y-y+y+y-y+y+y-y+y+y-y+y+y-y+y+y-y+y+y-y+y+y-y+y+y-y+y+y-y+y+y-y+y+y-y+y+y-y+y+y-y+y+y;
	printf("%d\n", mixed);
	minus = 1000000000000 - y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-
	y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-
	y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-
	y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-
	y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-
	y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y-y;
	printf("%d\n", minus);
	product = (int64_t)1 * y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*
	y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*
	y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*
	y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*
	y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*
	y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y;
	printf("%d\n", product);
	bits = z | y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|
	y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|
	y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|
	y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|
	y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|
	y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y;
	printf("%x\n", bits);
	odd = y ^ y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^
	y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^
	y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^
	y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^
	y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^
	y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y^y;
	printf("%d\n", odd);
	constant = 1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+
	1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+
	1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+
	1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+
	1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+
	1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+
	1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+
	1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1;
	printf("%d\n", constant);
	exit(0);
}
