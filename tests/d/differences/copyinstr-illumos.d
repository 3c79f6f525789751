/*
 * @compat: a longer string, by `copyinstr(address, N)`
 * @illumos: `N` characters
 */
/* @options: -q -xcompat=illumos -c "sh -c 'echo one:two >/dev/null'" */

syscall::write:entry
/pid == $target/
{
	text = copyinstr(arg1, 4);
	printf("'%s' '%s'\n", copyinstr(arg1, 4), text);
	exit(0);
}
