/* END has the last word. */
/* @options: -q */
/* @status: 7 */

BEGIN { exit(1); }
END { printf("end\n"); exit(7); }
