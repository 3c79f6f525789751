/* @options: -q */
BEGIN { printf("%d %d\n", ppid == $ppid, curpsinfo->pr_ppid == $ppid); exit(0); }
