/* Registers of the process. */
/* @options: -q -c $TARGET */

pid$target:a.out:leaf:entry
/!shown/
{
	shown = 1;
	printf("%d %d\n", uregs[R_SP] > 0, uregs[R_PC] > 0);
	usym(uregs[R_PC]);
}
