/* A pointer to nowhere is a fault, which ends the clause and nothing else. */
/* @options: -q */

int *nowhere;

BEGIN
{
	nowhere = (int *)0x18;
	printf("%d\n", *nowhere);
}

BEGIN
{
	printf("it goes on\n");
	exit(0);
}

ERROR
{
	printf("fault %d at 0x%x\n", arg4, arg5);
}
