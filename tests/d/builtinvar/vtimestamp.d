/* @options: -q */
/* Time on a CPU, which is less than the time that passes. */
BEGIN { start = timestamp; before = vtimestamp; }
BEGIN { printf("%d\n", before > 0 && vtimestamp >= before && vtimestamp - before <= timestamp - start); exit(0); }
