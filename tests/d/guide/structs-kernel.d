/* Structs of the kernel through a pointer. */
/* @options: -q -c true */

syscall::exit_group:entry
/pid == $target/
{
	printf("%s %d %d\n", curthread->comm, curthread->tgid == pid, curthread->real_parent->tgid == ppid);
}
