/* @options: -q */
BEGIN
{
	p = (uint16_t *)alloca(2);
	bcopy(&`__start_BTF, p, 2);
	printf("%x\n", *p);
	exit(0);
}
