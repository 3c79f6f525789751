/* @options: -q */
/* Time on a CPU, which is at most the time since the thread began. */
BEGIN { before = vtimestamp; }
BEGIN { printf("%d\n", before > 0 && vtimestamp >= before && vtimestamp <= timestamp - curthread->start_time); exit(0); }
