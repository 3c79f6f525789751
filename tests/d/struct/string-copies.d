/* Strings at places of any alignment, full ones too, are copied with the struct or the array that has them. */
/* @options: -q -xstrsize=5 -xscratchsize=64 */

struct item { char c; string name; int n; };
struct box { char c; struct item in; struct item two[2]; };
struct item global; struct item many[int]; struct item row[3];
struct box box;
this struct item mine;
string names[3];
int i;

BEGIN
{
	i = 1;
	global.c = 'c';
	global.name = "12345678";
	global.n = -1;
	this->mine = global;
	many[7] = this->mine;
	box.in = many[7];
	box.two[i] = box.in;
	row[i + 1] = box.two[i];
	printf("%c %s %d\n", row[2].c, row[2].name, row[2].n);
	row[i + 1].name = "ab";
	many[7].name = strjoin(row[2].name, "c");
	box.two[i].name = "xyz";
	printf("%s %s %s %s\n", row[2].name, many[7].name, box.two[1].name, box.in.name);
	printf("%c %d %c %d %d\n", row[2].c, row[2].n, many[7].c, many[7].n, box.two[1].n);
	this->p = (struct item *)alloca(2 * sizeof (struct item));
	this->p[1] = many[7];
	this->p[1].name = "full!!";
	printf("%s %d %c\n", this->p[1].name, this->p[1].n, this->p[1].name[4]);
	names[0] = "abcdefgh";
	names[i] = "ijklmnop";
	names[2] = names[i];
	printf("%s %s %s\n", names[0], names[1], names[2]);
	exit(0);
}

ERROR
{
	exit(1);
}
