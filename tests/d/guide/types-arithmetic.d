/* Arithmetic on integers. */
/* @options: -q */

BEGIN
{
	a = 17;
	b = 5;
	printf("%d %d %d %d %d\n", a + b, a - b, a * b, a / b, a % b);
	printf("%d %d\n", -a, +b);
	a += 3;
	b <<= 2;
	printf("%d %d\n", a, b);
	printf("%d %d %d %d\n", a++, ++b, a--, --b);
	exit(0);
}
