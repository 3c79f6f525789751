/* @options: -q -xdynvarsize=12 */
/* The thread is not counted; to look at a variable needs no room. */

self int x, y, z;

BEGIN
{
	printf("%d ", self->x + self->y);
	self->z = 1234;
	printf("%d\n", self->z);
	exit(0);
}
