/* A pointer to a string that has no place of its own holds for as long as the clause. */
/* @options: -q */

char *p;
char *q;

BEGIN
{
	p = probename;
	q = strjoin("12", "34");
	s = "of a variable";
	other = strjoin(probeprov, "567890");
	printf("%c %s %c %s\n", p[0], stringof(p), q[3], stringof(q));
	p = s;
	s = "changed";
	printf("%s\n", stringof(p));
	to = (char *)alloca(16);
	bcopy(probename, to, 6);
	printf("%s\n", stringof(to));
	bcopy(strjoin("a", "b"), to, 3);
	printf("%s\n", stringof(to));
	bcopy("literal", to, 8);
	printf("%s\n", stringof(to));
	exit(0);
}

ERROR
{
	exit(1);
}
