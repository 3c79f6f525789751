/* A program cannot allow itself to change nodes. */
#pragma D option via=vm

BEGIN
{
	exit(0);
}
