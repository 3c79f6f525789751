/* Pointers into memory that was allocated, and arithmetic with them. */
/* @options: -q */

int *p;

BEGIN
{
	p = (int *)alloca(4 * sizeof (int));
	p[0] = 3;
	*(p + 2) = p[0] + 4;
	printf("%d %d %d\n", *p, p[2], (p + 2) - p);
	exit(0);
}
