/* Who is woken, while who runs. */
/* @options: -q -c $TARGET */

sched:::wakeup
/args[1]->pr_pid == $target/
{
	@[args[1]->pr_fname] = count();
}
