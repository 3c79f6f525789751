/* A struct of the process, whose layout the program knows. */
/* @options: -q -c $TARGET */

struct point { int x, y; };

pid$target:a.out:move:entry
{
	this->p = (struct point *)copyin(arg0, sizeof (struct point));
	printf("%d %d\n", this->p->x, this->p->y);
}
