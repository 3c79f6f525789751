/* How often, by the stack. */
/* @options: -q -c $TARGET */

pid$target:a.out:leaf:entry
{
	@[ustack(3)] = count();
}
