/* @options: -q */
/* Segments and the last trap are what the kernel keeps with the thread. */

BEGIN
{
	printf("%d ", uregs[R_DS] == curthread->thread.ds);
	printf("%d ", uregs[R_ES] == curthread->thread.es);
	printf("%d ", uregs[R_FS] == curthread->thread.fsbase && uregs[R_FS] != 0);
	printf("%d ", uregs[R_GS] == curthread->thread.gsbase);
	printf("%d\n", uregs[R_TRAPNO] == curthread->thread.trap_nr);
	exit(0);
}

ERROR { exit(1); }
