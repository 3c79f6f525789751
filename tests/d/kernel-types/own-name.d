/* @options: -q */
/* A variable that has the name of a type of the kernel's is a variable where it is declared. */
int uint;

BEGIN
{
	uint = 6;
	printf("%d %d\n", (uint) * 7, (uint) / 2);
	exit(0);
}
