/* The first status counts. */
/* @options: -q */
/* @status: 3 */

BEGIN { exit(3); exit(4); }
BEGIN { exit(5); }
END { printf("end\n"); }
