/* An argument that is not given is an error. */
/* @options: -q */

BEGIN
{
	trace($1);
	exit(0);
}
