/* Sizes are chosen, in the program or on the command line. */
/* @options: -q -xbufpolicy=switch */

#pragma D option bufsize=64k
#pragma D option bufresize=auto
#pragma D option switchrate=10hz

BEGIN
{
	printf("fits\n");
	exit(0);
}
