/* As long as ERROR does not call exit(), the clauses that follow run. */
/* @options: -q */
/* @status: 7 */

BEGIN { trace(*(int *)0); }
BEGIN { printf("second\n"); }
BEGIN { printf("%d\n", *(int *)0); }
BEGIN { printf("fourth\n"); exit(0); }
ERROR { printf("error %d\n", ++n); }
ERROR /n == 2/ { exit(7); }
