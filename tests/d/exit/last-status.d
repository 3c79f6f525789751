/* The last status of the clause counts. */
/* @options: -q */
/* @status: 4 */

BEGIN { exit(3); exit(4); }
BEGIN { exit(5); }
END { printf("end\n"); }
