/* A text that a function of the process is called with. */
/* @options: -q -c $TARGET */

pid$target:a.out:greet:entry
{
	printf("%s\n", copyinstr(arg0));
}
