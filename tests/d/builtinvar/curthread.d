/* @options: -q */
BEGIN
{
	self->t = curthread;
	printf("%d %d %s %d %d\n", curthread->tgid == pid, curthread->pid == tid, curthread->comm,
	    curthread->real_parent->tgid == ppid, self->t == curthread);
	printf("%d\n", curthread->signal->nr_threads == curpsinfo->pr_nlwp);
	exit(0);
}
