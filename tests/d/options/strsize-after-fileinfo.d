/* That DTrace's own structs have texts settles nothing. @options: -q */
#pragma D option strsize=3

struct mine {
	string s;
};

BEGIN
{
	printf("%d %s\n", sizeof (fileinfo_t) > 100, "abcdef");
	exit(0);
}
