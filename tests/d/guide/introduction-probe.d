/* A probe without a body is printed. */

BEGIN
BEGIN
{
	exit(0);
}
