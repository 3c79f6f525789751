/* In END the status of before stays. */
/* @options: -q */
/* @status: 2 */

BEGIN { exit(2); }
END { exit(5); trace(*(int *)0); }
