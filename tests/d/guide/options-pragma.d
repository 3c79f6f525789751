/* Options in the program, by #pragma. */

#pragma D option quiet
#pragma D option strsize=6

BEGIN
{
	s = "abcdefghij";
	printf("%s %d\n", s, strlen(s));
	exit(0);
}
