/* A first program. */

BEGIN
{
	trace("hello, D");
	exit(0);
}
