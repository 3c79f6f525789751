/* @options: -q */
BEGIN
{
	printf("%d %x\n", &vmlinux`__start_BTF == &`__start_BTF, *(uint16_t *)&vmlinux`__start_BTF);
	exit(0);
}
