/* This process. */
/* @options: -q */

BEGIN { printf("%d %d\n", pid == $pid, ppid == $ppid); exit(0); }
