/* Members of some bits, and where members are. */
/* @options: -q */

struct flags {
	unsigned int low : 3;
	unsigned int high : 5;
	long last;
};

struct flags f;

BEGIN
{
	f.low = 9;
	f.high = 31;
	printf("%d %d %d\n", f.low, f.high, offsetof(struct flags, last));
	exit(0);
}
