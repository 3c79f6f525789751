/* Words are compared whole; the types of both say whether as signed ones. What is assigned to says how it divides. */
/* @options: -q */

int i;
unsigned int u;

BEGIN
{
	i = -1;
	u = 4294967295;
	printf("%d %d %d\n", i == u, i > u, i < 0);
	printf("%d\n", (i ? -1 : u) == 4294967295);
	i = -10;
	u = 3;
	i /= u;
	printf("%d\n", i);
	i = -10;
	i >>= u;
	printf("%d %d\n", i, (u - 4) >> 63);
	exit(0);
}
