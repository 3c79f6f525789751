/* All of them are there. */
/* @options: -q */

BEGIN { printf("%d\n", $ppid > 0 && $pgid > 0 && $sid >= 0 && $gid >= 0 && $egid >= 0); exit(0); }
