/* Scalars have the type of their first value; unset ones are 0. */
/* @options: -q */

int64_t declared;

BEGIN
{
	printf("%d ", declared);
	declared = 1 << 10;
	text = "t";
	printf("%d %s %d\n", declared, text, sizeof (declared));
	exit(0);
}
