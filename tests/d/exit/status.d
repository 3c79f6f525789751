/* The status is that of the command. */
/* @options: -q */
/* @status: 3 */

BEGIN { exit(3); }
