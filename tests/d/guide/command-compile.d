/* -e compiles and does not run. */
/* @options: -e */

BEGIN
{
	printf("never\n");
}
