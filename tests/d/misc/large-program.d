/* A body of many statements. */
/* @options: -q */

BEGIN {
	x = 1; x = x * 3 + 1; x = x * 3 + 1; x = x * 3 + 1; x = x * 3 + 1; x = x * 3 + 1; x = x * 3 + 1; x = x * 3 + 1;
	y = x % 1000; z = (y << 4) ^ (x >> 3) | (y & 0xff); w = z > y ? z - y : y - z;
	printf("%d %d\n", x, y); exit(0);
}
