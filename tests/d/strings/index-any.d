/* Any string has characters: of a built-in variable, an array, a member, a function, a choice, an assignment. */
/* @options: -q */

struct s { string name; string names[3]; } x;
string g[4];
inline string K = "const";

BEGIN
{
	a[7] = "ABC";
	self->s[1] = "xyz";
	this->v = "this";
	self->w = "self";
	x.name = "name";
	x.names[2] = "two";
	g[3] = "gee";
	m["k", 1] = x;
	i = 1;
	printf("%d %c%c %d\n", probename[0], probename[i], *probeprov, execname[i] == execname[1]);
	printf("%c%c%c%c\n", a[7][1], a[7][i], self->s[1][1], self->s[i][i + 1]);
	printf("%c%c%c%c%c\n", this->v[i], self->w[i], x.name[i], x.names[2][i], g[3][i]);
	printf("%c%c\n", m["k", 1].name[0], m["k", i].names[i + 1][2]);
	printf("%c%c%c\n", strjoin("ab", "cd")[i], substr("abcdef", 1)[i], "literal"[i]);
	printf("%c%c%c\n", (i ? probename : probeprov)[1], (b = "zed")[0], K[i]);
	exit(0);
}
