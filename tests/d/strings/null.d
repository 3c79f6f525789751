/* A string that was never assigned to is NULL, which is another than "" and before it. */
/* @options: -q */

string s;
string t;
string a[int];
this string w;
self string z;

BEGIN
{
	printf("%d %d %d %d\n", s == NULL, this->w == NULL, self->z == NULL, a[1] == NULL);
	printf("%d %d %d %d\n", s == "", s < "", "" > s, s == t);
	s = "";
	printf("%d %d %d %d\n", s == NULL, s == "", s == t, t < s);
	s = NULL;
	a[1] = "x";
	a[1] = 0;
	self->z = "y";
	self->z = NULL;
	printf("%d %d %d\n", s == NULL, a[1] == NULL, self->z == NULL);
	t = pid ? NULL : "x";
	printf("%d %d %s\n", t == NULL, strstr("a", "b") == NULL, t != NULL ? t : "none");
	t = "of more than eight bytes";
	u = "of more than eight bytes";
	printf("%d %d %d\n", t == u, t == "of more than eight bytes", t == s);
	exit(0);
}
