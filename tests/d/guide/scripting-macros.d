/* Numbers of the process that traces. */
/* @options: -q */

BEGIN
{
	printf("%d %d %d\n", $pid == pid, $ppid == ppid, $uid == uid && $euid == uid && $gid == gid && $egid == gid);
	exit(0);
}
