/* @options: -q */
/* The types of a program are those of the scope D. */

typedef struct pair { short one; int two; } pair_t;

BEGIN
{
	p = (D`pair_t *)alloca(sizeof (D`pair_t));
	p->two = 5;
	printf("%d %d %d\n", sizeof (D`pair_t), p->two, (D`uint8_t)257);
	exit(0);
}
