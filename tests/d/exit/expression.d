/* The status is any number. */
/* @options: -q */
/* @status: 42 */

BEGIN { x = 6; exit(x * 7); }
