/* Variables that are there: who, where, when, what. */
/* @options: -q -c true */

syscall::exit_group:entry
/pid == $target/
{
	printf("%s %s %s %s\n", execname, probeprov, probefunc, probename);
	printf("%d %d %d %d\n", ppid == $pid, tid == pid, uid == $uid, gid == $gid);
	printf("%d %d %d\n", timestamp > 0, walltimestamp > 1700000000000000000, vtimestamp > 0);
	printf("%d %d %s\n", cpu == curcpu->cpu_id, curpsinfo->pr_pid == pid, curpsinfo->pr_psargs);
}
