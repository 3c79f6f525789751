/* @options: -q */
inline int MAGIC = *(uint16_t *)&`__start_BTF;

BEGIN
{
	self->from = (char *)&`__start_BTF;
	printf("%x %d\n", MAGIC, (char *)&`__stop_BTF > self->from);
	exit(0);
}
