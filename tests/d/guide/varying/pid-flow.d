/* All that a function calls, as a tree; its name is an argument. */
/* @options: -F -c $TARGET */
/* @args: work */

pid$target:a.out:$1:entry
{
	self->traced = 1;
}

pid$target:a.out::entry,
pid$target:a.out::return
/self->traced/
{
}

pid$target:a.out:$1:return
/self->traced/
{
	self->traced = 0;
	exit(0);
}
