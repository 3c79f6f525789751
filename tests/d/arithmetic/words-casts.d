/* A cast cuts what is larger than its type; one to the type that an operand has already changes nothing. */
/* @options: -q */

int i;
unsigned int u;

BEGIN
{
	i = 100000;
	u = 4294967295;
	printf("%d %d\n", (int)(i * i) == 10000000000, (unsigned int)(i * i) == 1410065408);
	printf("%d %d\n", (short)(i * i), (int)u);
	printf("%d %d\n", (long)(i * i), (long)(u + 1));
	exit(0);
}
