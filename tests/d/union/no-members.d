/* A union has at least one member, also within another type. */

struct s {
	int a;
	union { } u;
};

BEGIN
{
	exit(0);
}
