/*
 * @language: an array with more than ten keys
 * @dtrace: It is an error, as registers do not suffice; `-x tregs` says how many there are.
 * @erlbpf: It works, up to the [limits](#limits-of-a-program), and `-x tregs` has no effect.
 */
/* @options: -q -x tregs=3 */

BEGIN
{
	a[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10] = 7;
	printf("%d\n", a[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
	exit(0);
}
