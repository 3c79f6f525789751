/* With -C, the C preprocessor runs first. */
/* @options: -q -C -D LEVEL=2 */

#define	SHOW(what)	printf("%d\n", (what))
#if LEVEL > 1
#define	EXTRA	1
#else
#define	EXTRA	0
#endif

BEGIN
{
	SHOW(EXTRA + 40);
	exit(0);
}
