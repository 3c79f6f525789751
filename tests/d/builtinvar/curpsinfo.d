/* @options: -q */
/* @args: 7 */
BEGIN
{
	printf("%d %d %d %d %d %d %d %d %d\n", curpsinfo->pr_pid == pid, curpsinfo->pr_ppid == ppid,
	    curpsinfo->pr_uid == uid, curpsinfo->pr_euid == $euid, curpsinfo->pr_gid == gid,
	    curpsinfo->pr_egid == $egid, curpsinfo->pr_pgid == $pgid, curpsinfo->pr_sid == $sid,
	    curpsinfo->pr_nlwp >= $1 - 6);
	printf("%s %s %d %d\n", curpsinfo->pr_fname, execname, curpsinfo->pr_dmodel,
	    curpsinfo->pr_dmodel == PR_MODEL_LP64);
	this->age = walltimestamp / 1000000000 - curpsinfo->pr_start.tv_sec;
	printf("%d %d\n", this->age >= 0 && this->age < 3600, curpsinfo->pr_addr == (uintptr_t)curthread);
	exit(0);
}
