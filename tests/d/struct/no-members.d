/* A struct has at least one member. */

struct s {
};

BEGIN
{
	exit(0);
}
