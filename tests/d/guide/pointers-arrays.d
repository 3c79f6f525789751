/* Arrays have a size and a type. */
/* @options: -q */

int a[5];

BEGIN
{
	a[0] = 1;
	a[4] = a[0] + 9;
	printf("%d %d %d\n", a[4], a[1], sizeof (a));
	exit(0);
}
