/* END is, at last. */
/* @options: -q */
/* @status: 5 */

BEGIN { exit(5); }
END { printf("bye\n"); }
