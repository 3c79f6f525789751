/* With defaultargs, 0 and an empty text. */
/* @options: -q */

#pragma D option defaultargs

BEGIN
{
	printf("%d [%s]\n", $1, $$2);
	exit(0);
}
