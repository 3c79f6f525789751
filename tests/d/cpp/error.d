/* What it refuses is not run. */
/* @options: -C */
/* @status: 1 */

#error no
BEGIN { exit(0); }
