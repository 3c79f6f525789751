/* The operands of [ ] can change their places, as those of + can. */
/* @options: -q */

struct s { int a[3]; }; struct s v;
BEGIN
{
	p = (int *)alloca(16);
	p[1] = 6;
	2[p] = 7;
	i = 2;
	printf("%d %d %d\n", 1[p], i[p], 0[p]);
	v.a[1] = 8;
	printf("%d %c\n", 1[v.a], 1["abc"]);
	exit(0);
}
