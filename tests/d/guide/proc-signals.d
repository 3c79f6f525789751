/* Who sends which signal to whom. */
/* @options: -q -c "sh -c 'kill $$'" */

proc:::signal-send
/pid == $target && args[2] == SIGTERM/
{
	printf("%s sends %d to %s\n", execname, args[2], args[1]->pr_fname);
}
