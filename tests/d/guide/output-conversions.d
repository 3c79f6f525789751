/* Conversions of printf(). */
/* @options: -q */

BEGIN
{
	printf("%d %i %u %o %x %X %c %s %%\n", -1, 2, 3, 8, 255, 255, 'c', "s");
	printf("%hd %ld %lld\n", (short)2, (long)3, (long long)4);
	printf("%p %a\n", 0x10, 0);
	exit(0);
}
