/* Members of the elements of an array of structs, at a place and behind an index. */
/* @options: -q */

struct in { short a; int b; };
struct out { char c; struct in in[2]; };
struct out o[3];
BEGIN
{
	i = 1;
	o[2].in[1].b = 5;
	o[i].in[i].a = 6;
	o[i].c = 'x';
	printf("%d %d %c %d %d\n", o[2].in[1].b, o[1].in[1].a, o[1].c, o[0].in[0].b, sizeof (struct out));
	exit(0);
}
