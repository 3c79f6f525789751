/*
 * @command: the memory of `-x dynvarsize`
 * @dtrace: All arrays and `self->` variables share it, and what has no room is dropped.
 * @erlbpf: Each array and each `self->` variable has it for itself, so there are fewer drops.
 */
/* @options: -q -x dynvarsize=12 */

BEGIN
{
	self->a = 1;
	self->b = 2;
	self->c = 3;
	self->d = 4;
	printf("%d\n", self->a + self->b + self->c + self->d);
	exit(0);
}
