/* A key is cut to the type of the array's key. */
/* @options: -q */

int a[char];
int b[int, string];

BEGIN
{
	a[1] = 5;
	b[7, "x"] = 6;
	printf("%d %d\n", a[257], b[4294967303, "x"]);
	exit(0);
}
