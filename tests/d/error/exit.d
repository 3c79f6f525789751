/* exit() in ERROR: no clause that follows the one at fault runs, END does. */
/* @options: -q */
/* @status: 1 */

BEGIN { printf("first\n"); }
BEGIN { trace(*(int *)0); }
BEGIN { printf("second\n"); exit(0); }
BEGIN { trace(*(int *)0); }
BEGIN { printf("third\n"); }
ERROR { exit(1); }
END { printf("end\n"); }
