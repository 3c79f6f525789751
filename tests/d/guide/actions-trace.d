/* trace() of numbers and texts. */

BEGIN
{
	trace(execname != "");
	trace((long)5);
	trace("text");
	exit(0);
}
