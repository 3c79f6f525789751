/* Without -w they are refused. */
/* @options: -q */
/* @status: 1 */

BEGIN
{
	system("true");
	exit(0);
}
