/* exit() ends it with a status, after END. */
/* @options: -q */
/* @status: 3 */

BEGIN
{
	exit(3);
}

END
{
	printf("END runs\n");
}
