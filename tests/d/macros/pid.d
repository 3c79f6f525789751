/* Numbers of this process. */
/* @options: -q */

BEGIN { printf("%d %d\n", $pid == pid, $uid == uid && $euid == $uid); exit(0); }
