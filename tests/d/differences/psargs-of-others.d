/*
 * @language: `pr_psargs` of another process
 * @dtrace: The kernel of Solaris keeps the arguments of each process.
 * @erlbpf: Linux has them in the memory of the process, where only its own probes can read; of another one it is
 *   `<unknown>`, as in Oracle's DTrace.
 */
/* @options: -q -c "sh -c 'sh -c \"exec true\"; exit 0'" */

syscall::exit_group:entry
/ppid == $target/
{
	printf("%s\n", xlate <psinfo_t *> (curthread->real_parent)->pr_psargs);
}
