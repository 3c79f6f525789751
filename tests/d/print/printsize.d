/* Members that begin behind -x printsize are not shown; it can be set while the program runs. */
/* @options: -q */

#pragma D option printsize=8

struct parts {
	int number;
	char text[5];
	union {
		uint8_t low;
		uint64_t all;
	} u;
	struct {
		void *pointer;
		uint64_t count;
	} s;
};

BEGIN
{
	p = (struct parts *)alloca(sizeof (struct parts));
	p->number = 1;
	p->text[0] = 'o';
	p->text[1] = 'k';
	p->u.all = 12345678;
	p->s.pointer = (void *)0xfeed;
	p->s.count = 100;
	print(p);
	setopt("printsize", "24");
	print(p);
	setopt("printsize", "25");
	print(p);
	exit(0);
}
