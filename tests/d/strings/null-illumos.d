/* In DTrace of illumos NULL is as good as "". */
/* @options: -q -xcompat=illumos */

string s;

BEGIN
{
	printf("%d %d %d [%s]\n", s == NULL, s == "", s < "", s);
	s = NULL;
	printf("%d %d\n", s == "", strtok(NULL, ",") == NULL);
	exit(0);
}
