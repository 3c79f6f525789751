/* Strings are values: assigned, compared, made of pointers. */
/* @options: -q */

char *p;

BEGIN
{
	s = "first";
	t = s;
	s = "second";
	p = (char *)alloca(8);
	bcopy("bytes", p, 6);
	printf("%s %s %s %d %d\n", s, t, stringof(p), t < s, s == "second");
	exit(0);
}
