/* @options: -q */
/* A thread of the kernel has no arguments, and to ask for them is no fault. */

rawtp:::sched_switch
/args[2]->mm == NULL/
{
	printf("%d ", xlate <psinfo_t *> (args[2])->pr_argc);
	printf("%d ", xlate <psinfo_t *> (args[2])->pr_argv);
	printf("%d\n", xlate <psinfo_t *> (args[2])->pr_envp);
	exit(0);
}

ERROR { exit(1); }
