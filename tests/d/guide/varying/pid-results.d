/* What a function returns, by what it was called with. */
/* @options: -q -c $TARGET */

pid$target:a.out:leaf:entry
{
	self->n = arg0;
}

pid$target:a.out:leaf:return
{
	@[self->n, arg1] = count();
}
