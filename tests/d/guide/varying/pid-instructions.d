/* Each instruction of a function on its way out with an error. */
/* @options: -q -c $TARGET */

pid$target:a.out:fails:entry
{
	self->inside = 1;
}

pid$target:a.out:fails:
/self->inside/
{
	printf("%s\n", probename);
}

pid$target:a.out:fails:return
/self->inside/
{
	printf("returns %d\n", (int)arg1);
	self->inside = 0;
	exit(0);
}
