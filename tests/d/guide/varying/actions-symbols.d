/* An address as function, module and symbol. */
/* @options: -q -c $TARGET */

pid$target:a.out:leaf:entry
/!shown/
{
	shown = 1;
	printf("%A|", ucaller);
	usym(arg1);
	printf("|");
	umod(arg1);
	printf("|\n");
}
