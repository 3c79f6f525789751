/* Sizes that are right: int64_t and uint64_t are "long", and may be printed as "long long" all the same. */
/* @options: -q */

BEGIN
{
	printf("%hd %hu %hx\n", (short)-1, (unsigned short)65535, (short)-1);
	printf("%ld %lu %lx\n", -1L, (unsigned long)1, -1L);
	printf("%lld %llu %llx\n", -1LL, (unsigned long long)1, -1LL);
	printf("%ld %lld\n", -1LL, -1L);
	printf("%llx %llX %lld %llu\n", (int64_t)255, (uint64_t)255, (int64_t)255, (uint64_t)255);
	exit(0);
}
