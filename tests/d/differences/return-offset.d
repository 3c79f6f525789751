/*
 * @probes: `arg0` at the return of a function
 * @dtrace: illumos gives the offset of the instruction by which the function returns.
 * @erlbpf: It is 0, because the kernel puts the probe behind the function, where it returns to. `arg1` is what it
 *   returns, as in DTrace.
 */
/* @options: -q -c "cat /dev/null" */

pid$target:libc.so:malloc:return
/!n/
{
	n = 1;
	printf("%d %d\n", arg0, arg1 != 0);
}
