/* Constants are computed in 64 bits, whatever their type is; the output cuts an int. */
/* @options: -q */

inline uint64_t LIMIT = 5 * 1000000000;
inline int TICKS = 5 * 1000000000;
int64_t n;
enum size { KB = 1024 };

BEGIN
/timestamp > 0 && 3000000000 > 4 * 1024 * 1024 * 1024/
{
	printf("the filter lets it through\n");
}

BEGIN
{
	n = 60 * 1000000000;
	printf("%d %d %d\n", LIMIT, n, TICKS == 5000000000);
	printf("%d %d\n", KB * KB * KB * KB == 1 << 40, 4 * 1024 * 1024 * 1024);
	printf("%d %d\n", -1U == 4294967295, (char)300 == 44);
	exit(0);
}
