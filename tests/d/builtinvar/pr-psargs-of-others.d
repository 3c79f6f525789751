/* The arguments of a process are in its own memory. Of another one, they are not known. */
/* @options: -q -c "sh -c 'sh -c \"exec true\"; exit 0'" */

syscall::exit_group:entry
/ppid == $target/
{
	printf("%s %s\n", xlate <psinfo_t *> (curthread->real_parent)->pr_fname,
	    xlate <psinfo_t *> (curthread->real_parent)->pr_psargs);
	printf("%s %s\n", curpsinfo->pr_fname, curpsinfo->pr_psargs);
}
