/*
 * @compat: a longer string, by `copyinstr(address, N)`
 * @oracle: `N - 1` characters: the NUL is one of the `N` bytes
 */
/* @options: -q -xcompat=oracle -c "sh -c 'echo one:two >/dev/null'" */

syscall::write:entry
/pid == $target/
{
	text = copyinstr(arg1, 4);
	printf("'%s' '%s'\n", copyinstr(arg1, 4), text);
	exit(0);
}
