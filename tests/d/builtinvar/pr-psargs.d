/* @options: -q */
/* @args: one two */
BEGIN
{
	printf("%d %d %d\n", strstr(curpsinfo->pr_psargs, " -xerrtags -q -s pr-psargs.d one two") == " -xerrtags -q -s pr-psargs.d one two",
	    strstr(curpsinfo->pr_psargs, "erlbpf") != NULL, curpsinfo->pr_argc + strlen($$1) - strlen($$2) + 1);
	printf("%d\n", *(uintptr_t *)copyin(curpsinfo->pr_argv + 8 * curpsinfo->pr_argc, 8) == 0);
	exit(0);
}
