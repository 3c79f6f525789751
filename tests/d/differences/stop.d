/*
 * @language: `stop`
 * @dtrace: illumos stops the thread, until prun(1) lets it continue; Oracle's does not have it.
 * @erlbpf: It works like SIGSTOP: it stops all threads of the process, until the process gets SIGCONT.
 */
/* @options: -q -w -c "sh -c 'kill -0 $$; echo on'" */

syscall::kill:entry
/pid == $target/
{
	stop();
	system("until grep -q '^State:.T' /proc/%d/status; do sleep 0.01; done; echo stopped; kill -CONT %d", pid, pid);
}
