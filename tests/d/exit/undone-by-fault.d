/* The status of exit() is part of what the clause records: of nothing, if it has a fault behind it. All is over. */
/* @options: -q */
/* @status: 0 */

BEGIN { exit(3); trace(*(int *)0); }
BEGIN { printf("never\n"); exit(4); }
ERROR { printf("error\n"); }
END { printf("end\n"); }
