/* raise() sends a signal to the process that runs. */
/* @options: -q -w -c "sh -c 'echo once >/dev/null; echo never'" */

syscall::write:entry
/pid == $target/
{
	raise(SIGKILL);
}

proc:::signal-send
/args[1]->pr_pid == $target && args[2] == SIGKILL/
{
	printf("killed by %s\n", execname);
}
