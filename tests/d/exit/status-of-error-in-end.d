/* What ERROR says of END is behind what BEGIN said. */
/* @options: -q */
/* @status: 4 */

BEGIN { exit(1); }
END { trace(*(int *)0); }
ERROR { exit(4); }
