/* @options: -q */
/* Any task, not only the one that runs. */
BEGIN
{
	printf("%d %d\n", xlate <psinfo_t *> (curthread->real_parent)->pr_pid == ppid,
	    xlate <lwpsinfo_t> (curthread).pr_lwpid == tid);
	exit(0);
}
