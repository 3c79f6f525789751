/* A fault in END has an ERROR, too. */
/* @options: -q */

BEGIN { exit(0); }
END { trace(*(int *)0); }
ERROR { printf("err\n"); }
