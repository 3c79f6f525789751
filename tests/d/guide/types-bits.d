/* Bitwise operators. */
/* @options: -q */

BEGIN
{
	x = 0xf0;
	printf("%x %x %x %x %x\n", x & 0x3c, x | 0x0f, x ^ 0xff, x << 4, x >> 4);
	printf("%d\n", ~x);
	exit(0);
}
