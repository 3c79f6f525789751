/* Types may be named as those of the kernel. */
/* @options: -q */

BEGIN
{
	t = (struct vmlinux`task_struct *)curthread;
	printf("%d %d\n", t->pid > 0, offsetof(struct vmlinux`task_struct, comm) == offsetof(struct task_struct, comm));
	exit(t != curthread);
}
