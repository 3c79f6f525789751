/* Where in the process a function is called from. */
/* @options: -q -c $TARGET */

pid$target:a.out:leaf:entry
/!shown/
{
	shown = 1;
	ustack();
}
