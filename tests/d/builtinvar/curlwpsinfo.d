/* @options: -q */
BEGIN
{
	printf("%d %c %d %s %d\n", curlwpsinfo->pr_lwpid == tid, curlwpsinfo->pr_sname,
	    curlwpsinfo->pr_state == SONPROC, curlwpsinfo->pr_name, curlwpsinfo->pr_onpro == cpu);
	printf("%d %d %s %d\n", curlwpsinfo->pr_flag & PR_STOPPED, curlwpsinfo->pr_addr == (uintptr_t)curthread,
	    curlwpsinfo->pr_clname, curpsinfo->pr_lwp.pr_lwpid == tid);
	exit(0);
}
