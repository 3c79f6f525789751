/*
 * @adds: functions of illumos
 * @erlbpf: `toupper`, `tolower`, `strtoll`, `json` and a base for `lltostr`, which DTrace on Linux does not have.
 */
/* @options: -q */

BEGIN
{
	printf("%s %s %d\n", toupper("aB"), tolower("aB"), strtoll("0x1f", 16));
	printf("%s %s\n", lltostr(255, 16), json("{\"a\":[1,{\"b\":\"x\"}]}", "a[1].b"));
	exit(0);
}
