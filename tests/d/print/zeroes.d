/* Of what a pointer points to, what is zero is not shown; an array of characters ends at its NUL. */
/* @options: -q */

enum level { LOW, HIGH };
struct parts {
	char text[5];
	char rest[5];
	int numbers[3];
	struct { int x; int y[2]; } places[2];
	enum level level;
};

BEGIN
{
	p = (struct parts *)alloca(sizeof (struct parts));
	print(p);
	p->text[1] = 'x';
	p->rest[0] = 'a';
	p->rest[2] = 'b';
	p->numbers[1] = 4;
	p->places[1].x = 5;
	p->level = HIGH;
	print(p);
	exit(0);
}
