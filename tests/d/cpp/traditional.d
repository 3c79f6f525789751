/* @options: -q -C -Xs */
/* Before ISO C, a comment between two words joined them. */
#define JOIN(a, b) a/**/b

BEGIN
{
	JOIN(prin,tf)("%d\n", JOIN(4,2));
	exit(0);
}
