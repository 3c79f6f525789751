/* progenyof(): the process, or one that it started. */
/* @options: -q -c "sh -c 'true; /bin/true; exit 0'" */

syscall::exit_group:entry
/progenyof($target)/
{
	@[execname, pid == $target] = count();
}
