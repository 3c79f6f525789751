/* A string leaves what is behind it alone. */
/* @options: -q */

struct s { int a; string n; string m; int z; };
struct s v;
struct s e[int];

BEGIN {
	v.z = 5;
	v.m = "second";
	v.n = "first";
	e[1].z = 6;
	e[1].m = "2";
	e[1].n = "1";
	printf("%s %s %d %s %s %d\n", v.n, v.m, v.z, e[1].n, e[1].m, e[1].z);
	exit(0);
}
