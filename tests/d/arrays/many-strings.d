/* @options: -q */
string s[100];
self string t[100];
BEGIN
{
	i = 70;
	s[i] = "abc";
	self->t[i] = s[70];
	printf("%s %s [%s] %s\n", s[i], self->t[70], self->t[i - 1], self->t[i]);
	exit(0);
}
