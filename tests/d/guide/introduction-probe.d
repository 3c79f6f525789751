/* A probe whose actions are empty is printed. */

BEGIN
{
}

BEGIN
{
	exit(0);
}
