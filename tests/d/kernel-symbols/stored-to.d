/* @options: -q */
/* @status: 1 */
BEGIN
{
	p = (int *)&`__start_BTF;
	*p = 1;
	exit(0);
}

ERROR
{
	exit(1);
}
