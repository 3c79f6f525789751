/* @options: -q */
/* A backslash in front of what is no escape is a character. */

BEGIN
{
	printf("%s %d %d\n", "a\qb\x", strlen("\.\ "), '\c' == ('\\' << 8 | 'c'));
	exit(0);
}
