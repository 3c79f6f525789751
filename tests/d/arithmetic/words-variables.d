/* Variables of small types are computed with in 64 bits: they are cut when they are stored. */
/* @options: -q */

char c;
short s;
unsigned int u;
struct bits { int low:5; unsigned int high:27; } b;

BEGIN
{
	x = 100000;
	printf("%d %d\n", x * x / x, x * x == 10000000000);
	c = 127;
	printf("%d %d\n", ++c == 128, c);
	printf("%d %d\n", (s = 65537) == 65537, s);
	u = 4000000000;
	printf("%d %d %d\n", u + u == 8000000000, -u < 0, (u << 4) >> 4 == u);
	b.high = 134217727;
	printf("%d %d\n", (b.high << 10) > 4294967295, (b.low = 31) == 31);
	printf("%d\n", b.low);
	@sum = sum(x << 35);
	@most = max(x * x);
	@lines = lquantize(x * x, 0, 100, 10);
	exit(0);
}

END
{
	printa("%@d\n", @sum);
	printa("%@d\n", @most);
	printa("%@d\n", @lines);
}
