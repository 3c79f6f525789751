/* An option that does not exist. */
/* @options: -q */

#pragma D option nosuchoption

BEGIN
{
	exit(0);
}
