/* The last member of struct pid has no number of elements, and one for each namespace. */
/* @options: -q */

BEGIN
{
	i = 0;
	p = curthread->thread_pid;
	printf("%d %d %d\n", p->numbers[0].nr == curthread->pid, (*p).numbers[i].nr == curthread->pid,
	    (p->numbers + i)->nr == curthread->pid);
	exit(p->numbers[p->level].nr > 0 ? 0 : 1);
}
