/* system() runs a command, with a text as printf() makes it. */
/* @options: -q -w */

BEGIN
{
	system("echo %s has %d bytes", "word", strlen("word"));
	exit(0);
}
