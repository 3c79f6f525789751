/* It counts also if its clause comes to nothing. */
/* @options: -q */
/* @status: 3 */

BEGIN { exit(3); trace(*(int *)0); }
ERROR { printf("error\n"); exit(4); }
