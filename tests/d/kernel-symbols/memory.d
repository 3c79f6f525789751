/* @options: -q */
/* The types of the kernel begin with a number that says what they are. */
BEGIN
{
	printf("%x\n", *(uint16_t *)&`__start_BTF);
	exit(0);
}

ERROR
{
	exit(1);
}
