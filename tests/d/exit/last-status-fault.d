/* Also if the clause comes to nothing, and ERROR exits. */
/* @options: -q */
/* @status: 4 */

BEGIN { exit(3); trace(*(int *)0); }
ERROR { printf("error\n"); exit(4); }
