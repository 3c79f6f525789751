/* psinfo_t of any process of the kernel. */
/* @options: -q -c true */

syscall::exit_group:entry
/pid == $target/
{
	printf("%s %d\n", xlate <psinfo_t *> (curthread)->pr_fname, xlate <psinfo_t *> (curthread->real_parent)->pr_pid == ppid);
}
