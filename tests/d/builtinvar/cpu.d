/* The CPU. */
/* @options: -q */

BEGIN { printf("%d\n", cpu >= 0 && cpu < 4096); exit(0); }
