/* Assignment with an operation. */
/* @options: -q */

BEGIN {
	x = 10; x += 5; printf("%d ", x); x -= 3; printf("%d ", x); x *= 4; printf("%d ", x);
	x /= 6; printf("%d ", x); x %= 5; printf("%d ", x); x <<= 4; printf("%d ", x);
	x >>= 1; printf("%d ", x); x |= 3; printf("%d ", x); x &= 0x1e; printf("%d ", x); x ^= 0xff;
	printf("%d\n", x);
	exit(0);
}
