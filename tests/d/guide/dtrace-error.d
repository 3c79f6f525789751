/* ERROR fires with the kind of fault and its address. */
/* @options: -q */
/* @status: 1 */

BEGIN
{
	*(char *)0x20;
}

ERROR
{
	printf("%s %d %x\n", probename, arg4, arg5);
	exit(1);
}
