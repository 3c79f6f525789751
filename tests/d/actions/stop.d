/* The process stands still until it is told to go on. */
/* @options: -q -w -c "sh -c 'kill -0 $$; echo on'" */

syscall::kill:entry
/pid == $target/
{
	stop();
	system("until grep -q '^State:.T' /proc/%d/status; do sleep 0.01; done; echo stopped; kill -CONT %d", pid, pid);
}
